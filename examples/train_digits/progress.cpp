#include "progress.hpp"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace {

std::string numbers(const status& s) {
  return fmt::format("loss {:.4f}  accuracy {:5.2f} %  scale {}  skipped {}  {:.0f} samples/s", s.loss, s.accuracy, s.scale,
                     s.skipped, s.samples_per_second);
}

}  // namespace

progress::progress(const chosen_run& run, int epochs) : run_(run), epochs_(epochs), terminal_(isatty(STDOUT_FILENO)) {}

progress::~progress() {
  if (drawn_) fmt::print("\n");
}

void progress::step(const status& now) {
  if (!terminal_ || clock::now() - last_ < std::chrono::milliseconds(50)) return;
  draw(now);
}

void progress::epoch(const status& now) {
  if (terminal_) return draw(now);
  const int every = std::max(1, epochs_ / 6);
  if (now.epoch % every && now.epoch != epochs_) return;
  fmt::print("{:7}  epoch {:3}/{}  {}\n", run_.name(), now.epoch, epochs_, numbers(now));
  std::fflush(stdout);
}

void progress::draw(const status& now) {
  winsize window{};
  const int columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col : 80;
  const std::string left = fmt::format("{:7} ", run_.name());
  const std::string right = fmt::format("  epoch {}/{}  {}", std::min(now.epoch + 1, epochs_), epochs_, numbers(now));
  const int room = columns - 3 - static_cast<int>(left.size() + right.size());
  const int width = std::clamp(room, 0, 30);
  const int filled = static_cast<int>(width * std::min(1.0, (now.epoch + now.part) / epochs_));
  std::string line = left + (width ? "[" + std::string(filled, '=') + std::string(width - filled, ' ') + "]" : "") + right;
  line.resize(std::min<std::size_t>(line.size(), columns - 1));
  fmt::print("\r{}\x1b[K", line);
  std::fflush(stdout);
  drawn_ = true;
  last_ = clock::now();
}
