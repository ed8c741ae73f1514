// Folded text as stage 1 writes it, in memory: words are numbers, lines are ranges of them.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct Words {
  std::vector<std::string> spelling;
  std::vector<uint64_t> count;
  std::unordered_map<std::string, uint32_t> number;

  uint32_t of(std::string_view word) {
    auto [at, isNew] = number.try_emplace(std::string(word), uint32_t(spelling.size()));
    if (isNew) {
      spelling.emplace_back(word);
      count.push_back(0);
    }
    return at->second;
  }
};

enum class Kind : uint8_t { title, heading, paragraph, answer, definition, synonym, example, hypernym, trivia };

struct Range {
  size_t from = 0, to = 0;
  size_t size() const { return to - from; }
};

struct Line {
  Kind kind;
  uint8_t group;
  uint32_t document;
  /** Of a pair: its left side. */
  Range text;
  /** Of a pair: its right side. */
  Range right;
};

struct Folded {
  Words words;
  std::vector<uint32_t> text;
  std::vector<Line> lines;
  std::vector<std::string> groups;
};

inline std::string readAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::string content(size_t(file.tellg()), '\0');
  file.seekg(0);
  file.read(content.data(), std::streamsize(content.size()));
  return content;
}

template <class Each>
void eachPart(std::string_view text, char separator, Each each) {
  for (size_t from = 0; from <= text.size();) {
    size_t to = text.find(separator, from);
    if (to == std::string_view::npos) to = text.size();
    each(text.substr(from, to - from));
    from = to + 1;
  }
}

inline Kind pairKind(std::string_view name) {
  if (name == "qa") return Kind::answer;
  if (name == "def") return Kind::definition;
  if (name == "syn") return Kind::synonym;
  if (name == "ex") return Kind::example;
  if (name == "hyper") return Kind::hypernym;
  if (name == "trivia") return Kind::trivia;
  throw std::runtime_error("folded text has a pair of an unknown kind: " + std::string(name));
}

inline Folded readFolded(const std::string& path) {
  Folded folded;
  const std::string content = readAll(path);
  const uint32_t stop = folded.words.of(".");
  auto add = [&](std::string_view words) {
    Range range{folded.text.size(), 0};
    eachPart(words, ' ', [&](std::string_view word) {
      if (word.empty()) return;
      const uint32_t number = folded.words.of(word);
      folded.words.count[number]++;
      folded.text.push_back(number);
    });
    while (folded.text.size() > range.from && folded.text.back() == stop) folded.text.pop_back();
    range.to = folded.text.size();
    return range;
  };
  uint8_t group = 0;
  uint32_t document = 0;
  eachPart(content, '\n', [&](std::string_view line) {
    if (line.empty()) return;
    std::vector<std::string_view> fields;
    eachPart(line, '\t', [&](std::string_view field) { fields.push_back(field); });
    const char mark = fields[0][0];
    if (mark == '#') {
      const std::string name(fields[2]);
      for (group = 0; group < folded.groups.size() && folded.groups[group] != name;) group++;
      if (group == folded.groups.size()) folded.groups.push_back(name);
      document++;
    } else if (mark == 'D') {
      folded.lines.push_back({Kind::title, group, ++document, add(fields[1]), {}});
    } else if (mark == 'H') {
      folded.lines.push_back({Kind::heading, group, document, add(fields[2]), {}});
    } else if (mark == 'P') {
      folded.lines.push_back({Kind::paragraph, group, document, add(fields[1]), {}});
    } else {
      const Range left = add(fields[2]);
      folded.lines.push_back({pairKind(fields[1]), group, ++document, left, add(fields[3])});
    }
  });
  return folded;
}
