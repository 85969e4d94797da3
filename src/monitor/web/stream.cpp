#include "monitor/web/stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "monitor/web/clock.h"

namespace tidepool::inline v0::monitor::web {

namespace {

constexpr std::uint64_t updates_with_pool = 4;  // one in as many
constexpr int socket_bytes = 128 << 10;         // that the system keeps for one listener

template <class List>
void note(const List& list, double& told) {
  for (const auto& one : list) told = std::max(told, one.time);
}

template <class List>
void take_out(List& list, double told) {
  std::erase_if(list, [&](const auto& one) { return one.time <= told; });
}

}  // namespace

bool Told::is_another(const RunRecord& run) const { return run.started != started_ || run.time < time_; }

void Told::remember(const RunRecord& run) {
  started_ = run.started;
  time_ = run.time;
  note(run.samples, samples_);
  note(run.epochs, epochs_);
  note(run.events, events_);
  note(run.anomalies, anomalies_);
}

void Told::leave_new(RunRecord& run) const {
  take_out(run.samples, samples_);
  take_out(run.epochs, epochs_);
  take_out(run.events, events_);
  take_out(run.anomalies, anomalies_);
}

std::string event_text(std::string_view kind, std::string_view json) {
  std::string text = "event: ";
  text.reserve(json.size() + 64);
  text += kind;
  text += "\ndata: ";
  for (const char c : json) {
    text += c;
    if (c == '\n') text += "data: ";
  }
  return text += "\n\n";
}

Response Streams::open(MHD_Connection* connection, int socket) {
  setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &socket_bytes, sizeof socket_bytes);
  Stream& stream = all_.emplace_back(Stream{.owner = this, .connection = connection, .socket = socket, .moved = time_now()});
  try {
    return Response::of_reader(read, &stream, closed);
  } catch (...) {
    all_.pop_back();
    throw;
  }
}

void Streams::closed(void* stream) {
  Streams& owner = *static_cast<Stream*>(stream)->owner;
  owner.all_.remove_if([&](const Stream& one) { return &one == stream; });
}

ssize_t Streams::read(void* state, std::uint64_t, char* into, std::size_t most) {
  Stream& stream = *static_cast<Stream*>(state);
  if (stream.cut) return MHD_CONTENT_READER_END_WITH_ERROR;
  if (stream.messages.empty()) {
    if (stream.owner->ending_) return MHD_CONTENT_READER_END_OF_STREAM;
    stream.suspended = true;
    MHD_suspend_connection(stream.connection);
    return 0;
  }
  const std::string& text = *stream.messages.front();
  const std::size_t bytes = std::min(most, text.size() - stream.sent);
  text.copy(into, bytes, stream.sent);
  stream.sent += bytes;
  stream.moved = time_now();
  if (stream.sent == text.size()) {
    stream.messages.pop_front();
    stream.sent = 0;
    if (!stream.messages.empty()) stream.waiting -= stream.messages.front()->size();
  }
  return static_cast<ssize_t>(bytes);
}

std::optional<double> Streams::due() const { return all_.empty() ? std::nullopt : std::optional(last_ + limits_.period); }

void Streams::tell(double now) {
  last_ = now;
  drop_slow(now);
  const bool any_fresh = std::ranges::any_of(all_, &Stream::fresh) && shelf_.has_room();
  const bool any_other = std::ranges::any_of(all_, [](const Stream& stream) { return !stream.fresh; });
  if (!any_fresh && !any_other) return;
  const bool with_pool = count_++ % updates_with_pool == 0;
  const RunRecord run = run_.record(with_pool || any_fresh);
  if (told_.is_another(run)) {
    told_ = {};
    for (Stream& stream : all_) stream.fresh = true;
  }
  tell_news(run, with_pool, now);
  tell_run(run, now);
  told_.remember(run);
}

void Streams::tell_run(const RunRecord& run, double now) {
  if (std::ranges::none_of(all_, &Stream::fresh) || !shelf_.has_room()) return;
  const Text text = shelf_.keep("retry: 1000\n" + event_text("run", to_json(run)));
  for (Stream& stream : all_) {
    if (!stream.fresh) continue;
    stream.fresh = false;
    give(stream, text, now);
  }
}

void Streams::tell_news(RunRecord run, bool with_pool, double now) {
  if (std::ranges::all_of(all_, &Stream::fresh)) return;
  told_.leave_new(run);
  const Text text =
      std::make_shared<const std::string>(event_text("update", update_json(run, -std::numeric_limits<double>::infinity(), with_pool)));
  for (Stream& stream : all_)
    if (!stream.fresh) give(stream, text, now);
}

void Streams::give(Stream& stream, const Text& text, double now) {
  if (stream.cut) return;
  if (stream.messages.empty()) {
    stream.moved = now;
  } else {
    stream.waiting += text->size();
  }
  stream.messages.push_back(text);
  wake(stream);
}

void Streams::drop_slow(double now) {
  for (Stream& stream : all_) {
    const bool stuck = !stream.messages.empty() && now - stream.moved > limits_.stream_stuck_seconds;
    if (!stuck && stream.waiting <= limits_.stream_waiting_bytes) continue;
    cut(stream);
  }
}

void Streams::cut(Stream& stream) {
  stream.cut = true;
  stream.messages.clear();  // the connection may take a moment to end; its memory need not
  stream.waiting = stream.sent = 0;
  shutdown(stream.socket, SHUT_RDWR);
  wake(stream);
}

void Streams::wake(Stream& stream) {
  if (!stream.suspended) return;
  stream.suspended = false;
  MHD_resume_connection(stream.connection);
}

void Streams::cut_all() {
  for (Stream& stream : all_) cut(stream);
}

void Streams::end_all() {
  ending_ = true;
  for (Stream& stream : all_) wake(stream);
}

}  // namespace tidepool::inline v0::monitor::web
