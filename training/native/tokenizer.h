// Pieces of words: learned by byte pair encoding (Sennrich, Haddow and Birch, ACL 2016), applied by greedy longest match.
#pragma once
#include <algorithm>
#include <map>
#include <queue>

#include "folded.h"

/** Rarer words teach no pieces. */
constexpr uint64_t RAREST_WORD = 4;
/** Rarer characters are no pieces. */
constexpr uint64_t RAREST_CHARACTER = 100;
/** Bytes. */
constexpr size_t LONGEST_WORD = 64;
/** Before a piece that continues a word. */
inline const std::string CONTINUES = "##";

class Tokenizer {
 public:
  std::vector<std::string> pieces;

  static Tokenizer learn(const Words& words, size_t size);

  /** The pieces of a word, at most 16; where no piece fits, one character is passed over. */
  std::vector<uint16_t> encode(const std::string& word) const {
    std::vector<uint16_t> found;
    for (size_t from = 0; from < word.size() && found.size() < 16;) {
      size_t to = std::min(word.size(), from + longest_);
      for (; to > from; to--) {
        const auto at = number_.find((from ? CONTINUES : "") + word.substr(from, to - from));
        if (at == number_.end()) continue;
        found.push_back(at->second);
        break;
      }
      from = to > from ? to : from + characterLength(word[from]);
    }
    return found;
  }

  static size_t characterLength(char lead) {
    const uint8_t byte = uint8_t(lead);
    return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  }

 private:
  void index() {
    for (size_t at = 0; at < pieces.size(); at++) {
      number_[pieces[at]] = uint16_t(at);
      longest_ = std::max(longest_, pieces[at].size());
    }
  }

  std::unordered_map<std::string, uint16_t> number_;
  size_t longest_ = 0;
};

inline Tokenizer Tokenizer::learn(const Words& words, size_t size) {
  std::map<std::string, uint64_t> characters;
  struct Word {
    std::vector<uint32_t> symbols;
    int64_t count;
  };
  std::vector<Word> list;
  std::vector<std::string> symbols;
  std::unordered_map<std::string, uint32_t> number;
  auto symbolOf = [&](const std::string& text) {
    auto [at, isNew] = number.try_emplace(text, uint32_t(symbols.size()));
    if (isNew) symbols.push_back(text);
    return at->second;
  };
  auto split = [](const std::string& word, auto each) {
    for (size_t from = 0; from < word.size();) {
      const size_t length = characterLength(word[from]);
      each((from ? CONTINUES : "") + word.substr(from, length));
      from += length;
    }
  };
  auto teaches = [&](size_t at) {
    return words.count[at] >= RAREST_WORD && words.spelling[at] != "." && words.spelling[at].size() <= LONGEST_WORD;
  };
  for (size_t at = 0; at < words.spelling.size(); at++)
    if (teaches(at)) split(words.spelling[at], [&](const std::string& one) { characters[one] += words.count[at]; });
  for (const auto& [character, count] : characters)
    if (count >= RAREST_CHARACTER) symbolOf(character);
  for (size_t at = 0; at < words.spelling.size(); at++) {
    if (!teaches(at)) continue;
    Word word{{}, int64_t(words.count[at])};
    bool whole = true;
    split(words.spelling[at], [&](const std::string& one) {
      const auto known = number.find(one);
      if (known == number.end()) whole = false;
      else word.symbols.push_back(known->second);
    });
    if (whole) list.push_back(std::move(word));
  }

  std::unordered_map<uint64_t, int64_t> counts;
  std::unordered_map<uint64_t, std::vector<uint32_t>> places;
  auto key = [](uint32_t a, uint32_t b) { return uint64_t(a) << 32 | b; };
  for (uint32_t at = 0; at < list.size(); at++)
    for (size_t i = 0; i + 1 < list[at].symbols.size(); i++) {
      const uint64_t pair = key(list[at].symbols[i], list[at].symbols[i + 1]);
      counts[pair] += list[at].count;
      places[pair].push_back(at);
    }
  std::priority_queue<std::pair<int64_t, uint64_t>> best;
  for (const auto& [pair, count] : counts) best.push({count, pair});
  while (symbols.size() < size && !best.empty()) {
    const auto [count, pair] = best.top();
    best.pop();
    if (counts[pair] != count || count <= 0) continue;
    const uint32_t a = uint32_t(pair >> 32), b = uint32_t(pair);
    const uint32_t joined = symbolOf(symbols[a] + symbols[b].substr(CONTINUES.size()));
    std::vector<uint64_t> changed;
    auto change = [&](uint64_t other, int64_t by, uint32_t at) {
      counts[other] += by;
      changed.push_back(other);
      if (by > 0) places[other].push_back(at);
    };
    const std::vector<uint32_t> where = std::move(places[pair]);
    for (const uint32_t at : where) {
      auto& [parts, times] = list[at];
      for (size_t i = 0; i + 1 < parts.size(); i++) {
        if (parts[i] != a || parts[i + 1] != b) continue;
        if (i > 0) change(key(parts[i - 1], a), -times, at), change(key(parts[i - 1], joined), times, at);
        if (i + 2 < parts.size()) change(key(b, parts[i + 2]), -times, at), change(key(joined, parts[i + 2]), times, at);
        counts[pair] -= times;
        parts[i] = joined;
        parts.erase(parts.begin() + long(i) + 1);
      }
    }
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const uint64_t other : changed)
      if (counts[other] > 0) best.push({counts[other], other});
  }
  Tokenizer tokenizer;
  tokenizer.pieces = symbols;
  tokenizer.index();
  return tokenizer;
}
