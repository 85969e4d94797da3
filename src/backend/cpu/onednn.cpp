#include "backend/cpu/onednn.h"

#include "backend/cpu/onednn_api.h"
#include "platform/environment.h"
#include "platform/forked.h"
#include "platform/library.h"

#ifdef TIDEPOOL_ONEDNN

#include <omp.h>

#include <cstdlib>
#include <utility>

namespace tidepool::inline v0 {

namespace {

const OneDnnFunctions* open_functions() {
  if (!switched_on("TIDEPOOL_ONEDNN", true)) return nullptr;
  Library library("libdnnl.so.2");  // stays open: its threads may outlive us
  static OneDnnFunctions functions;
#define X(name) library.find(functions.name, "dnnl_" #name);
  TIDEPOOL_ONEDNN_FUNCTIONS(X)
#undef X
  return library.has_all() ? &functions : nullptr;
}

}  // namespace

const OneDnnFunctions* onednn_functions() {
  static const OneDnnFunctions* const functions = open_functions();
  return is_forked() ? nullptr : functions;  // its threads are the parent's
}

OneDnnThreads::OneDnnThreads(int threads) : before_(omp_get_max_threads()), wanted_(threads) {
  watch_forks();
  if (before_ != wanted_) omp_set_num_threads(wanted_);
}
OneDnnThreads::~OneDnnThreads() {
  if (before_ != wanted_) omp_set_num_threads(before_);
}

OneDnn::Workshop::Workshop(const OneDnnFunctions& functions, int threads) : dnn(functions), threads(threads) {
  if (dnn.engine_create(&engine, dnnl_cpu, 0) == dnnl_success) dnn.stream_create(&stream, engine, dnnl_stream_default_flags);
}

OneDnn::Workshop::~Workshop() {
  entries_.clear();
  if (stream) dnn.stream_destroy(stream);
  if (engine) dnn.engine_destroy(engine);
}

const std::unique_ptr<OneDnn::Workshop::Kept>* OneDnn::Workshop::find(const Key& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return &place->second->second;
}

OneDnn::Workshop::Kept* OneDnn::Workshop::add(const Key& key, std::unique_ptr<Kept> made) {
  if (entries_.size() == most_kept) {
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }
  entries_.emplace_front(key, std::move(made));
  places_[key] = entries_.begin();
  return entries_.front().second.get();
}

void OneDnn::Workshop::Free::operator()(void* memory) const { std::free(memory); }

void* OneDnn::Workshop::scratch(std::size_t bytes) {
  if (bytes > scratch_bytes_) {
    constexpr std::size_t page = 4096;
    scratch_.reset();  // before the larger one is there: both together may be too much
    bytes = (bytes + page - 1) / page * page;
    scratch_.reset(std::aligned_alloc(page, bytes));
    scratch_bytes_ = scratch_ ? bytes : 0;
  }
  return scratch_.get();
}

OneDnn::OneDnn(int threads) : threads_(threads) {}
OneDnn::~OneDnn() = default;

bool OneDnn::there() const { return onednn_functions() != nullptr; }

std::uint32_t OneDnn::channel_block() const {
  const OneDnnFunctions* const dnn = onednn_functions();
  if (!dnn) return 0;
  const dnnl_cpu_isa_t isa = dnn->get_effective_cpu_isa();
  return isa >= dnnl_cpu_isa_avx512_core ? 16 : isa >= dnnl_cpu_isa_avx2 ? 8 : 0;
}

bool OneDnn::gemm(const Gemm& g, bool alone) {
  const OneDnnFunctions* const dnn = onednn_functions();
  if (!dnn) return false;
  if (!alone && turned_product(g)) return true;
  const auto m = static_cast<dnnl_dim_t>(g.m), n = static_cast<dnnl_dim_t>(g.n), k = static_cast<dnnl_dim_t>(g.k);
  const OneDnnThreads threads(threads_);
  return dnn->sgemm(g.transposed_a ? 'T' : 'N', g.transposed_b ? 'T' : 'N', m, n, k, 1.0F, g.a, g.transposed_a ? m : k, g.b,
                    g.transposed_b ? k : n, g.add ? 1.0F : 0.0F, g.c, n) == dnnl_success;
}

OneDnn::Workshop* OneDnn::workshop() {
  if (!there()) return nullptr;
  if (!workshop_) workshop_ = std::make_unique<Workshop>(*onednn_functions(), threads_);
  return workshop_ && workshop_->stream ? workshop_.get() : nullptr;
}

}  // namespace tidepool::inline v0

#else

namespace tidepool::inline v0 {

struct OneDnn::Workshop {};
OneDnn::OneDnn(int threads) : threads_(threads) {}
OneDnn::~OneDnn() = default;
bool OneDnn::there() const { return false; }
bool OneDnn::gemm(const Gemm&, bool) { return false; }
std::uint32_t OneDnn::channel_block() const { return 0; }
OneDnn::Workshop* OneDnn::workshop() { return nullptr; }

}  // namespace tidepool::inline v0

#endif
