// Trains a digit classifier in mixed precision: the command line, one run after the other, the table.
#include "data.hpp"
#include "levels.hpp"
#include "options.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <exception>
#include <vector>

int main(int argc, char** argv) {
  const auto start = steady::now();
  const options o = parse_options(argc, argv);
  try {
    std::vector<history> done;
    const digits data = o.describe ? digits() : read_digits(o.data);
    for (const chosen_run& run : o.runs()) {
      if (o.describe) describe_level(o, run);
      else done.push_back(train_level(o, run, data, start));
    }
    if (!o.describe) print_table(done);
    if (!o.report.empty()) write_report(o.report, done);
  } catch (const std::exception& e) {
    fmt::print(stderr, "train_digits: {}\n", e.what());
    return 1;
  }
}
