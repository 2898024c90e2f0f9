// The table at the end, and the files of --report.
#pragma once
#include "history.hpp"

#include <string>
#include <vector>

void print_table(const std::vector<history>& runs);

/// Writes steps.csv, epochs.csv and summary.csv into folder, and curves.svg where gnuplot is installed.
/// Throws std::runtime_error, which names the file.
void write_report(const std::string& folder, const std::vector<history>& runs);
