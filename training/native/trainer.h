// The model: a table of vectors, one for each piece; a text is the direction of the sum of its pieces.
#pragma once
#include <cmath>
#include <cstring>

#include "batches.h"
#include "gemm.h"
#include "team.h"

struct Outcome {
  double loss;
  /** Share of left sides whose own right side is the most similar of the batch. */
  double accuracy;
};

class Trainer {
 public:
  Trainer(const PairFile& file, size_t pieces, const Settings& settings)
      : settings_(settings), team_(settings.threads), pieces_(pieces), width_(settings.dimensions) {
    table_.resize(pieces * width_);
    first_.resize(pieces * width_);
    second_.resize(pieces * width_);
    gradient_.resize(pieces * width_);
    seen_.resize(pieces);
    initialize(file);
    const size_t batch = settings.batch;
    vectors_.resize(2 * batch * width_);
    slopes_.resize(2 * batch * width_);
    lengths_.resize(2 * batch);
    similar_.resize(batch * batch);
    pull_.resize(batch * batch);
  }

  const std::vector<float>& table() const { return table_; }

  /** Symmetric InfoNCE (van den Oord, Li and Vinyals 2018; Radford et al. 2021) over a batch, without a change. */
  Outcome compare(const Texts& texts) {
    const size_t batch = settings_.batch;
    embed(texts);
    const float* left = vectors_.data();
    const float* right = left + batch * width_;
    team_.share(batch, 1, [&](size_t from, size_t to) {
      multiply(from, to, batch, width_, {left, width_, 1}, {right, 1, width_}, similar_.data(), batch);
    });
    return contrast(texts.documents);
  }

  Outcome step(const Texts& texts, double rate) {
    const Outcome outcome = compare(texts);
    descend(texts);
    adapt(rate);
    return outcome;
  }

 private:
  /** Frequent pieces begin short, rare ones long: the weights of Arora, Liang and Ma (ICLR 2017). */
  void initialize(const PairFile& file) {
    std::vector<double> counts(pieces_);
    for (const uint16_t piece : file.pieces) counts[piece]++;
    Random random(settings_.seed * 7919);
    for (size_t piece = 0; piece < pieces_; piece++) {
      const double weight = 1e-3 / (1e-3 + counts[piece] / double(file.pieces.size()));
      for (size_t at = 0; at < width_; at++) table_[piece * width_ + at] = float(random.normal() * weight);
    }
  }

  void embed(const Texts& texts) {
    const size_t count = 2 * settings_.batch;
    team_.share(width_, 16, [&](size_t from, size_t to) {
      for (size_t text = 0; text < count; text++) {
        float* sum = &vectors_[text * width_];
        std::fill(sum + from, sum + to, 0.0f);
        for (const uint16_t piece : texts.of(text)) {
          const float* row = &table_[piece * width_];
          for (size_t at = from; at < to; at++) sum[at] += row[at];
        }
      }
    });
    team_.share(count, 1, [&](size_t from, size_t to) {
      for (size_t text = from; text < to; text++) {
        float* vector = &vectors_[text * width_];
        float squares = 1e-12f;
        for (size_t at = 0; at < width_; at++) squares += vector[at] * vector[at];
        lengths_[text] = std::sqrt(squares);
        for (size_t at = 0; at < width_; at++) vector[at] /= lengths_[text];
      }
    });
  }

  /** Leaves the slope of the loss by each similarity in `pull_`. */
  Outcome contrast(const std::vector<uint32_t>& documents) {
    const size_t batch = settings_.batch;
    const float scale = float(1 / settings_.temperature);
    std::vector<float> columnSums(batch), rowSums(batch);
    size_t right = 0;
    double loss = 0;
    for (size_t row = 0; row < batch; row++) {
      float* similar = &similar_[row * batch];
      const float own = similar[row];
      size_t better = 0;
      for (size_t column = 0; column < batch; column++) {
        // Similarities are at most 1, so that nothing overflows.
        const bool same = documents[row] == documents[column] && row != column;
        better += similar[column] > own && !same;
        similar[column] = same ? 0 : std::exp((similar[column] - 1) * scale);
        rowSums[row] += similar[column];
        columnSums[column] += similar[column];
      }
      right += better == 0;
    }
    const float weight = 0.5f * scale / float(batch);
    for (size_t row = 0; row < batch; row++) {
      const float own = similar_[row * batch + row];
      loss -= 0.5 * (std::log(own / rowSums[row]) + std::log(own / columnSums[row]));
      for (size_t column = 0; column < batch; column++)
        pull_[row * batch + column] =
            weight * similar_[row * batch + column] * (1 / rowSums[row] + 1 / columnSums[column]);
      pull_[row * batch + row] -= 2 * weight;
    }
    return {loss / double(batch), double(right) / double(batch)};
  }

  /** Slopes of the sums of the texts, from those of the similarities of their directions. */
  void descend(const Texts& texts) {
    const size_t batch = settings_.batch;
    const float* left = vectors_.data();
    const float* right = left + batch * width_;
    team_.share(batch, 1, [&](size_t from, size_t to) {
      multiply(from, to, width_, batch, {pull_.data(), batch, 1}, {right, width_, 1}, slopes_.data(), width_);
      multiply(from, to, width_, batch, {pull_.data(), 1, batch}, {left, width_, 1}, slopes_.data() + batch * width_, width_);
    });
    team_.share(2 * batch, 1, [&](size_t from, size_t to) {
      for (size_t text = from; text < to; text++) {
        float* slope = &slopes_[text * width_];
        const float* vector = &vectors_[text * width_];
        float along = 0;
        for (size_t at = 0; at < width_; at++) along += slope[at] * vector[at];
        for (size_t at = 0; at < width_; at++) slope[at] = (slope[at] - along * vector[at]) / lengths_[text];
      }
    });
    touched_.clear();
    for (const uint16_t piece : texts.pieces)
      if (!seen_[piece]) seen_[piece] = 1, touched_.push_back(piece);
    for (const uint16_t piece : touched_) seen_[piece] = 0;
    team_.share(width_, 16, [&](size_t from, size_t to) {
      for (size_t text = 0; text < 2 * batch; text++) {
        const float* slope = &slopes_[text * width_];
        for (const uint16_t piece : texts.of(text)) {
          float* sum = &gradient_[piece * width_];
          for (size_t at = from; at < to; at++) sum[at] += slope[at];
        }
      }
    });
  }

  /** Adam (Kingma and Ba, ICLR 2015) on the rows that the batch has touched, with decoupled decay (Loshchilov and Hutter, ICLR 2019). */
  void adapt(double rate) {
    steps_++;
    const double first = 0.9, second = 0.999;
    const float scale = float(rate * std::sqrt(1 - std::pow(second, double(steps_))) / (1 - std::pow(first, double(steps_))));
    const float keep = float(1 - rate * settings_.decay);
    team_.share(touched_.size(), 1, [&](size_t from, size_t to) {
      for (size_t number = from; number < to; number++) {
        const size_t start = touched_[number] * width_;
        for (size_t at = start; at < start + width_; at++) {
          const float slope = gradient_[at];
          gradient_[at] = 0;
          first_[at] = float(first) * first_[at] + float(1 - first) * slope;
          second_[at] = float(second) * second_[at] + float(1 - second) * slope * slope;
          table_[at] = keep * table_[at] - scale * first_[at] / (std::sqrt(second_[at]) + 1e-8f);
        }
      }
    });
  }

  const Settings settings_;
  Team team_;
  size_t pieces_, width_, steps_ = 0;
  std::vector<float> table_, first_, second_, gradient_, vectors_, slopes_, lengths_, similar_, pull_;
  std::vector<uint8_t> seen_;
  std::vector<uint16_t> touched_;
};
