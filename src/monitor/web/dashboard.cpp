#include <tidepool/dashboard.h>
#include <tidepool/monitor.h>

#include "monitor/web/run_source.h"
#include "monitor/web/server.h"

namespace tidepool::inline v0::monitor {

Dashboard::Dashboard() : Dashboard(DashboardOptions{}) {}

Dashboard::Dashboard(const DashboardOptions& options)
    : run_(web::this_process()), server_(std::make_unique<web::Server>(options, *run_, web::Limits{})) {
  if (!enabled()) enable();
}

Dashboard::~Dashboard() = default;

std::string Dashboard::url() const { return server_->url(); }
double Dashboard::cpu_seconds() const { return server_->cpu_seconds(); }

}  // namespace tidepool::inline v0::monitor
