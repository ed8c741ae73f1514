// Drops what is in a test collection, and what is there twice.
#pragma once
#include <unordered_set>

#include "folded.h"

/** Words of a sequence that may not occur in both training text and a test collection. */
constexpr int GRAM = 8;
/** Words by which two paragraphs are taken for the same. */
constexpr size_t BEGINNING = 40;

namespace grams {
constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15;
constexpr uint64_t power(int exponent) { return exponent == 0 ? 1 : FACTOR * power(exponent - 1); }
}  // namespace grams

class Grams {
 public:
  /** Hears the hash of each sequence of eight words, sentence ends left out. Stops where `each` returns true. */
  template <class Words, class Each>
  static void each(const Words& hashes, Each each) {
    uint64_t rolling = 0;
    for (size_t at = 0; at < hashes.size(); at++) {
      rolling = rolling * grams::FACTOR + hashes[at];
      if (at >= GRAM) rolling -= hashes[at - GRAM] * grams::power(GRAM);
      if (at + 1 >= GRAM && each(rolling)) return;
    }
  }

  static uint64_t hash(std::string_view word) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : word) hash = (hash ^ uint8_t(byte)) * 0x100000001b3;
    return hash ^ hash >> 29;
  }

};

class OverlapFilter {
 public:
  explicit OverlapFilter(const std::string& judgedPath) {
    const std::string content = readAll(judgedPath);
    std::vector<uint64_t> hashes;
    eachPart(content, '\n', [&](std::string_view line) {
      hashes.clear();
      eachPart(line, ' ', [&](std::string_view word) {
        if (!word.empty() && word != ".") hashes.push_back(Grams::hash(word));
      });
      judged_.insert(whole(hashes));
      Grams::each(hashes, [&](uint64_t gram) { return judged_.insert(gram), false; });
    });
  }

  size_t size() const { return judged_.size(); }

  /** Keeps the lines that share no sequence with a test collection and are not repetitions. Returns how many were dropped for each. */
  std::pair<size_t, size_t> apply(Folded& folded) const {
    std::vector<uint64_t> ofWord;
    for (const std::string& word : folded.words.spelling) ofWord.push_back(word == "." ? 0 : Grams::hash(word));
    std::unordered_set<uint64_t> beginnings;
    std::pair<size_t, size_t> dropped{0, 0};
    std::vector<uint64_t> hashes;
    auto overlaps = [&](Range range) {
      hashes.clear();
      for (size_t at = range.from; at < range.to; at++)
        if (ofWord[folded.text[at]]) hashes.push_back(ofWord[folded.text[at]]);
      bool found = hashes.size() > 3 && judged_.count(whole(hashes));
      Grams::each(hashes, [&](uint64_t gram) { return found = found || judged_.count(gram); });
      return found;
    };
    std::erase_if(folded.lines, [&](const Line& line) {
      if (overlaps(line.text) || overlaps(line.right)) return dropped.first++, true;
      if (line.kind != Kind::paragraph) return false;
      uint64_t beginning = 0;
      for (size_t at = line.text.from; at < std::min(line.text.to, line.text.from + BEGINNING); at++)
        beginning = beginning * grams::FACTOR + ofWord[folded.text[at]];
      if (beginnings.insert(beginning).second) return false;
      return dropped.second++, true;
    });
    return dropped;
  }

 private:
  static uint64_t whole(const std::vector<uint64_t>& hashes) {
    uint64_t all = 1;
    for (const uint64_t hash : hashes) all = (all + hash) * 0xd6e8feb86659fd93;
    return all;
  }

  std::unordered_set<uint64_t> judged_;
};
