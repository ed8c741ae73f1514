// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#pragma once
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }

  /** 0 to below 1. */
  double uniform() { return double(next() >> 11) / 9007199254740992.0; }

  /** 0 to below `bound`. */
  size_t below(size_t bound) { return size_t(uniform() * double(bound)); }

  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); }

  template <class Value>
  void shuffle(std::vector<Value>& values) {
    for (size_t at = values.size(); at > 1; at--) std::swap(values[at - 1], values[below(at)]);
  }

 private:
  uint64_t state_;
};
