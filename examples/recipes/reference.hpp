// What a recipe is compared with: the same training by PyTorch, from the text file beside it. A program of your own needs none of this.
#pragma once
#include <amphora/op/contraction.hpp>
#include <amphora/policy/compute.hpp>
#include <amphora/policy/opt_level.hpp>
#include <amphora/tensor/parameter.hpp>
#include <amphora/tensor/transfer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

/// Float throughout, but with a loss scale: what can be held against PyTorch's float32 closely.
struct in_float : amphora::o0<amphora::loss_scale<amphora::dynamic_scale<>>> {};

/// Lines "name extents numbers…", e.g. "start.w1 7x5 0.25 …". A list ends in .f64, the truth, or in .f32, PyTorch under GradScaler.
class reference {
 public:
  explicit reference(const std::string& recipe) {
    std::ifstream file(RECIPES_DIR "/" + recipe + ".txt");
    if (!file) end("no file " RECIPES_DIR "/" + recipe + ".txt");
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      std::string name, extents;
      words >> name >> extents;
      entry& read = entries_[name];
      std::replace(extents.begin(), extents.end(), 'x', ' ');
      std::istringstream numbers(extents);
      for (std::int64_t extent; numbers >> extent;) read.extents.push_back(extent);
      for (double number; words >> number;) read.numbers.push_back(number);
    }
  }

  const std::vector<double>& numbers(const std::string& name) const { return find(name).numbers; }
  amphora::shape shape(const std::string& name) const { return {find(name).extents.data(), static_cast<int>(find(name).extents.size())}; }

  /// One of the arrays that are stacked under a name: the images or the labels of a step.
  template <class T, class Context> amphora::tensor<T, Context> batch(Context& context, const std::string& name, int step) const {
    const entry& all = find(name);
    const amphora::shape one(all.extents.data() + 1, static_cast<int>(all.extents.size()) - 1);
    const auto first = all.numbers.begin() + step * one.elements();
    amphora::tensor<T, Context> result(context, one);
    amphora::write(context, std::vector<T>(first, first + one.elements()), result);
    return result;
  }
  /// Loads what stands under "start." and the parameters' names, or under another word.
  template <class Context, class... Parameters> void load(Context& context, const std::string& from, Parameters&... parameters) const {
    const auto one = [&](auto& parameter) {
      const std::vector<double>& start = numbers(from + "." + parameter.name());
      amphora::tensor<float, Context> there(context, parameter.shape());
      amphora::write(context, std::vector<float>(start.begin(), start.end()), there);
      parameter.load(context, there);
    };
    (one(parameters), ...);
  }

  /// Insists on equal numbers.
  void require_equal(const std::string& name, const std::vector<double>& ours) { note(name, ours == numbers(name), 0, 0); }
  /// Holds a list against name.f64. In float the bound is four times the largest error of PyTorch's own float32, and the last bit of the largest number. In
  /// 16 bits it is, for the number of step i, u · (4 + i) · (1 + |number|): two layers of roundings forward and back, and steps that each pass an error on once.
  ///
  /// times  what the numbers of a 16-bit layer are multiplied by before they are compared
  template <class Policy> void compare(const std::string& name, const std::vector<double>& ours, double times = 1) {
    using computes = amphora::compute_t<Policy, amphora::op::linear, amphora::f32>;
    const std::vector<double>& f64 = numbers(name + ".f64");
    if (ours.size() != f64.size() || ours.empty()) return note(name, false, 0, 0);
    if constexpr (std::is_same_v<computes, amphora::f32>) {
      const std::vector<double>& f32 = numbers(name + ".f32");
      double error = 0, normal = 0, largest = 0;
      for (std::size_t i = 0; i < f64.size(); ++i) {
        const double off = std::abs(ours[i] - f64[i]);
        error = off <= error ? error : off;  // a NaN stays
        normal = std::max(normal, std::abs(f32[i] - f64[i])), largest = std::max(largest, std::abs(f64[i]));
      }
      const double bound = 4 * normal + 2 * amphora::unit_roundoff_v<amphora::f32> * largest;
      note(name, error <= bound, error, bound);
    } else {
      double share = 0;
      for (std::size_t i = 0; i < f64.size(); ++i) {
        const double off = std::abs(ours[i] - f64[i]) / (amphora::unit_roundoff_v<computes> * (4 + static_cast<double>(i)) * times * (1 + std::abs(f64[i])));
        share = off <= share ? share : off;
      }
      note(name + ", 16 bit", share <= 1, share, 1);
    }
  }
  /// The masters against "final.", in float.
  template <class Policy, class Context, class... Parameters> void compare_weights(Context& context, const Parameters&... parameters) {
    const auto one = [&](const auto& parameter) {
      const std::vector<float> master = amphora::wait_read(context, parameter.master());
      compare<Policy>(std::string("final.") + parameter.name(), {master.begin(), master.end()});
    };
    if constexpr (std::is_same_v<amphora::compute_t<Policy, amphora::op::linear, amphora::f32>, amphora::f32>) (one(parameters), ...);
  }
  /// Says what must hold of this run by itself.
  void require(const std::string& what, bool holds) { note(what, holds, 0, 0); }

  /// For main: 0 where all of it was so.
  int status() const { return checks_ > 0 && failures_ == 0 ? 0 : 1; }

 private:
  struct entry {
    std::vector<std::int64_t> extents;
    std::vector<double> numbers;
  };
  const entry& find(const std::string& name) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) end("the reference has no " + name);
    return found->second;
  }
  [[noreturn]] static void end(const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(1);
  }
  void note(const std::string& what, bool holds, double error, double bound) {
    ++checks_, failures_ += !holds;
    if (bound > 0) std::printf("%-24s %.2g, at most %.2g: %s\n", what.c_str(), error, bound, holds ? "ok" : "NOT OK");
    else std::printf("%-24s %s\n", what.c_str(), holds ? "ok" : "NOT OK");
  }

  std::map<std::string, entry> entries_;
  int checks_ = 0, failures_ = 0;
};
