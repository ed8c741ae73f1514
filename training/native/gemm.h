// Products of matrices in single precision, blocked for the caches (Goto and van de Geijn, ACM TOMS 34(3), 2008).
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

/** A matrix by the address of its first number and the steps from row to row and from column to column. */
struct Matrix {
  const float* start;
  size_t rowStep, columnStep;
  float at(size_t row, size_t column) const { return start[row * rowStep + column * columnStep]; }
};

namespace gemm {
typedef float Lanes __attribute__((vector_size(32), aligned(4)));
constexpr size_t WIDTH = 8;
/** Of the tile that stays in registers. */
constexpr size_t ROWS = 6, COLUMNS = 2 * WIDTH;
/** Inner dimensions, and rows, whose packed numbers stay in the caches. */
constexpr size_t DEPTH = 256, HEIGHT = 96;

inline void tile(size_t depth, const float* a, const float* b, float* c, size_t step, size_t rows) {
  Lanes sums[ROWS][2] = {};
  for (size_t k = 0; k < depth; k++, a += ROWS, b += COLUMNS) {
    const Lanes first = *reinterpret_cast<const Lanes*>(b), second = *reinterpret_cast<const Lanes*>(b + WIDTH);
#pragma GCC unroll 6
    for (size_t row = 0; row < ROWS; row++) {
      const Lanes scale = a[row] - Lanes{};
      sums[row][0] += scale * first;
      sums[row][1] += scale * second;
    }
  }
  for (size_t row = 0; row < rows; row++) {
    *reinterpret_cast<Lanes*>(c + row * step) += sums[row][0];
    *reinterpret_cast<Lanes*>(c + row * step + WIDTH) += sums[row][1];
  }
}
}  // namespace gemm

/** Rows `from` to `to` of c = a b. Columns must be a multiple of 16. */
inline void multiply(size_t from, size_t to, size_t columns, size_t depth, Matrix a, Matrix b, float* c, size_t step) {
  using namespace gemm;
  thread_local std::vector<float> packedA, packedB;
  packedA.resize(HEIGHT * DEPTH);
  packedB.resize(columns * DEPTH);
  for (size_t row = from; row < to; row++) std::fill_n(c + row * step, columns, 0.0f);
  for (size_t k0 = 0; k0 < depth; k0 += DEPTH) {
    const size_t deep = std::min(DEPTH, depth - k0);
    for (size_t column = 0; column < columns; column += COLUMNS) {
      float* out = packedB.data() + column * deep;
      for (size_t k = 0; k < deep; k++)
        for (size_t j = 0; j < COLUMNS; j++) *out++ = b.at(k0 + k, column + j);
    }
    for (size_t row0 = from; row0 < to; row0 += HEIGHT) {
      const size_t high = std::min(HEIGHT, to - row0);
      float* out = packedA.data();
      for (size_t row = 0; row < high; row += ROWS)
        for (size_t k = 0; k < deep; k++)
          for (size_t i = 0; i < ROWS; i++) *out++ = row + i < high ? a.at(row0 + row + i, k0 + k) : 0;
      for (size_t column = 0; column < columns; column += COLUMNS)
        for (size_t row = 0; row < high; row += ROWS)
          tile(deep, packedA.data() + row * deep, packedB.data() + column * deep, c + (row0 + row) * step + column, step,
               std::min(ROWS, high - row));
    }
  }
}
