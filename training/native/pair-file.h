// What stage 2 hands to stage 3: pairs of texts that belong together, as ranges of one long list of pieces.
#pragma once
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

/** Most pieces of a side. */
constexpr size_t LONGEST_SIDE = 128;

struct Side {
  uint32_t from;
  uint16_t length;
  /** Pieces left out: those of a sentence that has become the other side. */
  uint16_t gapFrom, gapLength;
};

struct Pair {
  Side left, right;
  /** Pairs of one document are no negatives of each other. */
  uint32_t document;
  uint8_t group;
  uint8_t kind;
  /** Of no use to training: held back to measure it. */
  uint8_t heldBack;
  uint8_t unused = 0;
  /** How often it is drawn in an epoch, on average. */
  float weight;
};

struct PairFile {
  std::vector<std::string> groups;
  std::vector<uint16_t> pieces;
  std::vector<Pair> pairs;
};

namespace pair_file {
template <class Value>
void writeAll(FILE* file, const std::vector<Value>& values) {
  const uint64_t count = values.size();
  fwrite(&count, sizeof count, 1, file);
  if (fwrite(values.data(), sizeof(Value), count, file) != count) throw std::runtime_error("cannot write the pairs");
}

template <class Value>
void readAll(FILE* file, std::vector<Value>& values) {
  uint64_t count = 0;
  if (fread(&count, sizeof count, 1, file) != 1) throw std::runtime_error("the pairs are cut off");
  values.resize(count);
  if (fread(values.data(), sizeof(Value), count, file) != count) throw std::runtime_error("the pairs are cut off");
}
}  // namespace pair_file

inline void writePairs(const std::string& path, const PairFile& content) {
  FILE* file = fopen(path.c_str(), "wb");
  if (!file) throw std::runtime_error("cannot write " + path);
  pair_file::writeAll(file, content.pieces);
  pair_file::writeAll(file, content.pairs);
  std::vector<char> names;
  for (const std::string& group : content.groups) names.insert(names.end(), group.c_str(), group.c_str() + group.size() + 1);
  pair_file::writeAll(file, names);
  fclose(file);
}

inline PairFile readPairs(const std::string& path) {
  PairFile content;
  FILE* file = fopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("cannot read " + path);
  pair_file::readAll(file, content.pieces);
  pair_file::readAll(file, content.pairs);
  std::vector<char> names;
  pair_file::readAll(file, names);
  fclose(file);
  for (size_t from = 0; from < names.size(); from += content.groups.back().size() + 1)
    content.groups.emplace_back(names.data() + from);
  return content;
}
