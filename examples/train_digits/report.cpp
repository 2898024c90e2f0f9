#include "report.hpp"

#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace {

double accuracy(const history& run) { return run.epochs.empty() ? 0 : run.epochs.back().accuracy; }
double loss(const history& run) { return run.epochs.empty() ? 0 : run.epochs.back().loss; }

/// Draws loss, scale and accuracy over the steps, a curve a run.
void draw(const std::string& folder, const std::vector<history>& runs) {
  double most = 0, low = HUGE_VAL, high = 0;  // ranges of our own: a curve that never moves would leave gnuplot none
  for (const history& run : runs)
    for (const step_row& s : run.steps) most = std::max(most, s.loss), low = std::min(low, s.scale), high = std::max(high, s.scale);
  if (high == 0) return;  // no step was made
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) {
    fmt::print("no gnuplot here, so {}/curves.svg was not drawn\n", folder);
    return;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> plot(popen("gnuplot", "w"), pclose);
  if (!plot) throw std::runtime_error("cannot start gnuplot");
  // gnuplot's own quoting: a single quote is doubled.
  std::string quoted = folder;
  for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 2) quoted.insert(at, "'");
  fmt::print(plot.get(),
             "set terminal svg size 900,1000 font 'sans,12' background 'white'\nset output '{0}/curves.svg'\n"
             "set datafile separator ','\nset key outside right\nset grid\nset xrange [0:*]\nset multiplot layout 3,1\n",
             quoted);
  const auto panel = [&](const char* title, const char* file, int column, const char* style, const std::string& settings) {
    fmt::print(plot.get(), "set title '{}'\n{}\nset xlabel 'step'\nplot ", title, settings);
    for (std::size_t i = 0; i < runs.size(); ++i)  // a run's rows, and a gap wherever another run's would be
      fmt::print(plot.get(), "{}'{}/{}' skip 1 using 3:(strcol(1) eq 'O{}' && strcol(2) eq '{}' ? ${} : NaN) with {} lw 1.5 title '{}'",
                 i ? ", " : "", quoted, file, runs[i].run.level, runs[i].run.format, column, style, runs[i].run.name());
    fmt::print(plot.get(), "\n");
  };
  panel("training loss", "steps.csv", 5, "lines", fmt::format("set yrange [0:{}]", 1.1 * most));
  panel("test accuracy, %", "epochs.csv", 6, "linespoints pt 7 ps 0.4", "set yrange [*<80:100]");
  panel("loss scale", "steps.csv", 6, "steps", fmt::format("set logscale y 2\nset format y '2^{{%L}}'\nset yrange [{}:{}]", low / 1.2, high * 1.2));
}

}  // namespace

void print_table(const std::vector<history>& runs) {
  fmt::print("\n{:5} {:6} {:>8} {:>10} {:>10} {:>8} {:>10} {:>11}\n", "level", "format", "accuracy", "final loss", "scale", "skipped", "bytes", "samples/s");
  for (const history& run : runs)
    fmt::print("O{:<4} {:6} {:>6.2f} % {:>10.4f} {:>10} {:>8} {:>10} {:>11.0f}\n", run.run.level, run.run.format, accuracy(run),
               loss(run), run.scale, run.skipped, run.bytes, run.samples_per_second);
  fmt::print("bytes: of weights, gradients and optimizer; accuracy: on the test set\n");
  if (!runs.empty() && runs.front().first_step > 0) fmt::print("first step done {:.0f} ms after the start\n", 1e3 * runs.front().first_step);
}

void write_report(const std::string& folder, const std::vector<history>& runs) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw std::runtime_error(fmt::format("cannot make the folder {}: {}", folder, failed.message()));
  auto steps = fmt::output_file(folder + "/steps.csv");
  steps.print("level,format,step,epoch,loss,scale,skipped\n");
  auto epochs = fmt::output_file(folder + "/epochs.csv");
  epochs.print("level,format,step,epoch,loss,accuracy\n");
  auto summary = fmt::output_file(folder + "/summary.csv");
  summary.print("level,format,accuracy,loss,scale,skipped,bytes,samples_per_second\n");
  for (const history& run : runs) {
    const int level = run.run.level;
    const std::string& format = run.run.format;
    for (const step_row& s : run.steps)
      steps.print("O{},{},{},{},{},{},{}\n", level, format, s.step, s.epoch, s.loss, s.scale, s.skipped ? 1 : 0);
    for (const epoch_row& e : run.epochs) epochs.print("O{},{},{},{},{},{}\n", level, format, e.step, e.epoch, e.loss, e.accuracy);
    summary.print("O{},{},{},{},{},{},{},{:.0f}\n", level, format, accuracy(run), loss(run), run.scale, run.skipped, run.bytes, run.samples_per_second);
  }
  steps.close(), epochs.close(), summary.close();
  draw(folder, runs);
}
