// Threads that do the same piece of work on different parts at the same time.
#pragma once
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

class Team {
 public:
  explicit Team(size_t size) : begin_(std::ptrdiff_t(size)), end_(std::ptrdiff_t(size)), size_(size) {
    for (size_t member = 1; member < size; member++)
      threads_.emplace_back([this, member] {
        for (;;) {
          begin_.arrive_and_wait();
          if (!work_) return;
          work_(member);
          end_.arrive_and_wait();
        }
      });
  }

  ~Team() {
    work_ = nullptr;
    begin_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }

  /** Each member works on its share of 0 to `count`, a multiple of `unit`. */
  void share(size_t count, size_t unit, const std::function<void(size_t from, size_t to)>& work) {
    const size_t units = count / unit;
    work_ = [&](size_t member) { work(units * member / size_ * unit, units * (member + 1) / size_ * unit); };
    begin_.arrive_and_wait();
    work_(0);
    end_.arrive_and_wait();
  }

 private:
  std::barrier<> begin_, end_;
  size_t size_;
  std::function<void(size_t)> work_;
  std::vector<std::thread> threads_;
};
