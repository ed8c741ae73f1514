// Draws pairs, and turns them into the pieces that a step of training sees.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "pair-file.h"
#include "random.h"
#include "settings.h"

constexpr uint8_t SYNONYM = 5;
/** Of the sides that lose the pieces in common, how many are the left one. */
constexpr double LEFT_SHARE = 0.75;

/** The pieces of the texts of a batch, one after another: all left sides, then all right sides. */
struct Texts {
  std::vector<uint16_t> pieces;
  std::vector<size_t> starts;
  std::vector<uint32_t> documents;

  std::span<const uint16_t> of(size_t text) const { return {&pieces[starts[text]], starts[text + 1] - starts[text]}; }
};

class Batches {
 public:
  Batches(const PairFile& file, const Settings& settings) : file_(file), settings_(settings), random_(settings.seed) {
    byGroup_.resize(file.groups.size());
    for (uint32_t at = 0; at < file.pairs.size(); at++) {
      const Pair& pair = file.pairs[at];
      if (pair.heldBack) {
        heldBack_.push_back(at);
        continue;
      }
      byGroup_[pair.group].push_back(at);
      if (pair.kind == SYNONYM && pair.left.length == 1 && pair.right.length == 1) {
        const uint16_t left = file.pieces[pair.left.from], right = file.pieces[pair.right.from];
        synonyms_[left].push_back(right);
        synonyms_[right].push_back(left);
      }
    }
    random_.shuffle(heldBack_);
  }

  void next(Texts& texts) {
    if (at_ == order_.size()) begin();
    fill(order_[at_++], texts, true);
  }

  /** A batch of pairs that are never trained on, as they are; false after the last. */
  bool heldBack(size_t number, Texts& texts) {
    if ((number + 1) * settings_.batch > heldBack_.size()) return false;
    const auto from = heldBack_.begin() + long(number * settings_.batch);
    fill({from, from + long(settings_.batch)}, texts, false);
    return true;
  }

 private:
  template <class Each>
  void eachPiece(Side side, Each each) const {
    for (uint32_t at = 0; at < side.length; at++)
      if (at < side.gapFrom || at >= uint32_t(side.gapFrom + side.gapLength)) each(file_.pieces[side.from + at]);
  }

  /** An epoch: most batches of one group, the rest of all. */
  void begin() {
    order_.clear();
    at_ = 0;
    std::vector<uint32_t> mixed;
    for (const auto& group : byGroup_) {
      std::vector<uint32_t> drawn;
      for (const uint32_t pair : group)
        for (double left = file_.pairs[pair].weight; left > 0; left--)
          if (left >= 1 || random_.uniform() < left) drawn.push_back(pair);
      random_.shuffle(drawn);
      const size_t alone = size_t(double(drawn.size()) * settings_.grouped) / settings_.batch * settings_.batch;
      mixed.insert(mixed.end(), drawn.begin() + long(alone), drawn.end());
      drawn.resize(alone);
      cut(drawn);
    }
    random_.shuffle(mixed);
    cut(mixed);
    if (order_.empty()) throw std::runtime_error("there are fewer pairs than in a batch: give more text, or set batch");
    random_.shuffle(order_);
  }

  void cut(const std::vector<uint32_t>& pairs) {
    for (size_t from = 0; from + settings_.batch <= pairs.size(); from += settings_.batch)
      order_.emplace_back(pairs.begin() + long(from), pairs.begin() + long(from + settings_.batch));
  }

  void fill(const std::vector<uint32_t>& pairs, Texts& texts, bool training) {
    std::array<std::vector<uint16_t>, 2> flat;
    std::array<std::vector<size_t>, 2> lengths;
    texts.documents.clear();
    for (const uint32_t number : pairs) {
      const Pair& pair = file_.pairs[number];
      std::array<std::vector<uint16_t>, 2> sides;
      eachPiece(pair.left, [&](uint16_t piece) { sides[0].push_back(piece); });
      eachPiece(pair.right, [&](uint16_t piece) { sides[1].push_back(piece); });
      if (training && pair.kind != SYNONYM) {
        if (settings_.synonyms > 0) replace(sides[0]);
        if (random_.uniform() < 0.5) dropCommon(sides);
      }
      texts.documents.push_back(pair.document);
      for (int side = 0; side < 2; side++) {
        flat[side].insert(flat[side].end(), sides[side].begin(), sides[side].end());
        lengths[side].push_back(sides[side].size());
      }
    }
    texts.pieces.clear();
    texts.starts.assign(1, 0);
    for (int side = 0; side < 2; side++) {
      texts.pieces.insert(texts.pieces.end(), flat[side].begin(), flat[side].end());
      for (const size_t length : lengths[side]) texts.starts.push_back(texts.starts.back() + length);
    }
  }

  /** Words in common are the lexical half's to find: without some of them the rest has to be learned from. */
  void dropCommon(std::array<std::vector<uint16_t>, 2>& sides) {
    const size_t side = random_.uniform() < LEFT_SHARE ? 0 : 1;
    marks_.resize(65536);
    mark_++;
    for (const uint16_t piece : sides[1 - side]) marks_[piece] = mark_;
    std::vector<uint16_t> kept;
    for (const uint16_t piece : sides[side])
      if (marks_[piece] != mark_ || random_.uniform() >= settings_.overlapDropout) kept.push_back(piece);
    if (!kept.empty()) sides[side] = std::move(kept);
  }

  void replace(std::vector<uint16_t>& pieces) {
    for (uint16_t& piece : pieces) {
      if (random_.uniform() >= settings_.synonyms) continue;
      const auto known = synonyms_.find(piece);
      if (known != synonyms_.end()) piece = known->second[random_.below(known->second.size())];
    }
  }

  const PairFile& file_;
  const Settings& settings_;
  Random random_;
  std::vector<std::vector<uint32_t>> byGroup_;
  std::vector<uint32_t> heldBack_;
  std::unordered_map<uint16_t, std::vector<uint16_t>> synonyms_;
  std::vector<std::vector<uint32_t>> order_;
  size_t at_ = 0;
  std::vector<uint32_t> marks_;
  uint32_t mark_ = 0;
};
