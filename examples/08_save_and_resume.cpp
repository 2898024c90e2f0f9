// A run is saved whole, between two steps, and goes on from the file to the same bits as if nothing had happened.
#include <amphora/amphora.hpp>
#include <amphora/optimizer/state_file.hpp>

#include <cstdio>
#include <cstring>
#include <memory>

namespace amp = amphora;

struct mixed : amp::o2<amp::f16> {};

struct run {
  amp::host_context context;
  amp::parameter<mixed, amp::op::linear, amp::host_context> w{context, "w", {4, 8}};
  amp::scaler<amp::host_context> scaler = amp::make_scaler<mixed>(context);
  amp::mixed_optimizer<amp::adamw, amp::host_context> optimizer{context, amp::adamw{0.01f}, {w.view()}};
  int step = 0;

  void train(int until) {
    for (; step < until; ++step) {
      const float scale = scaler.wait_scale(context);  // a stand-in for a backward pass: the gradient depends on step and weights
      for (int i = 0; i < 32; ++i)
        w.gradient().data()[i] = amp::float16(scale * (static_cast<float>(w.weights().data()[i]) - 0.01f * static_cast<float>((step * 13 + i * 7) % 5)));
      const auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaler.ticket(context)));
      scaler.update(context, outcome);
    }
  }
  //! [save]
  void save(const char* file) { amp::wait_save_state(context, file, optimizer, scaler, amp::saved("step", step)); }
  void resume(const char* file) { amp::load_state(context, file, optimizer, scaler, amp::saved("step", step)); }
  //! [save]
};

int main() {
  const auto whole = std::make_unique<run>(), first = std::make_unique<run>(), second = std::make_unique<run>();
  whole->train(20);
  first->train(7);
  first->save("08_save_and_resume.state");
  second->resume("08_save_and_resume.state");
  std::printf("resumed at step %d\n", second->step);
  second->train(20);
  std::remove("08_save_and_resume.state");
  const bool equal = std::memcmp(whole->w.master().data(), second->w.master().data(), 32 * sizeof(float)) == 0;
  std::printf("the same weights after %d steps: %s\n", second->step, equal ? "yes" : "no");
}
