// Texts that belong together, out of the structure of documents.
#pragma once
#include "folded.h"
#include "pair-file.h"
#include "random.h"
#include "tokenizer.h"

/** Pieces; what is shorter says too little to be matched. */
constexpr size_t SHORTEST_PASSAGE = 12;
constexpr size_t SHORTEST_SENTENCE = 5;
/** Sentences of a paragraph that are paired with the rest of it. */
constexpr size_t CLOZES = 3;
/** Adjacent passages, beside other pairs. */
constexpr float ADJACENT_WEIGHT = 0.7f;
/** One document in so many is held back. */
constexpr uint32_t HELD_BACK = 400;

/** Passages of a section that its heading is paired with, and of a document its title. */
constexpr int HEADED_PASSAGES = 4, TITLED_PASSAGES = 2;
/** Of the titles, headings and terms, how many become a question: people ask more than they name. */
constexpr double ASKED = 0.3;
inline const char* const QUESTIONS[] = {
    "what is", "what is a", "what is the", "what are", "what does it mean to", "what can i do about", "what should i know about",
    "what happens with", "what causes", "how do i", "how do you", "how can i", "how to", "how does", "how is", "how do people",
    "how much", "how many", "why is", "why are", "why do we", "why does my", "when do i need", "when was", "who is", "who can",
    "where can i find", "which", "can i", "do i need", "should i", "is it", "is there a", "tell me about", "explain", "i want to"};

/** Numbers of a pair's kind in the file, for reports: those of `Kind`, and these two. */
constexpr uint8_t CLOZE = 9, ADJACENT = 10;

class PairMaker {
 public:
  PairMaker(const Folded& folded, const Tokenizer& tokenizer, const std::unordered_map<std::string, float>& weights)
      : folded_(folded) {
    for (const std::string& word : folded.words.spelling) encoded_.push_back(tokenizer.encode(word));
    for (const std::string& group : folded.groups) {
      const auto at = weights.find(group);
      weights_.push_back(at == weights.end() ? 1 : at->second);
    }
    for (const char* question : QUESTIONS) {
      std::vector<uint16_t> pieces;
      eachPart(question, ' ', [&](std::string_view word) {
        for (const uint16_t piece : tokenizer.encode(std::string(word))) pieces.push_back(piece);
      });
      questions_.push_back(pieces);
    }
    file_.groups = folded.groups;
  }

  PairFile make() {
    const auto& lines = folded_.lines;
    for (size_t at = 0; at < lines.size(); at++) {
      const Line& line = lines[at];
      if (line.kind == Kind::title) {
        title_ = append(line.text);
        heading_ = {};
        earlier_ = {};
        passages_ = 0;
      } else if (line.kind == Kind::heading) {
        heading_ = append(line.text);
        earlier_ = {};
        passages_ = 0;
      } else if (line.kind == Kind::paragraph) {
        addParagraph(line);
      } else {
        addPair(line);
      }
    }
    return std::move(file_);
  }

 private:
  /** Stands for nothing but a place: side of the pieces just appended. */
  Side append(Range range) {
    const size_t from = file_.pieces.size();
    for (size_t at = range.from; at < range.to; at++) {
      const auto& pieces = encoded_[folded_.text[at]];
      file_.pieces.insert(file_.pieces.end(), pieces.begin(), pieces.end());
      if (file_.pieces.size() - from >= LONGEST_SIDE) break;
    }
    return side(from, file_.pieces.size());
  }

  static Side side(size_t from, size_t to) {
    return {uint32_t(from), uint16_t(std::min(to - from, LONGEST_SIDE)), 0, 0};
  }

  /** As it is, or behind the beginning of a question. */
  Side asked(Side name) {
    if (random_.uniform() >= ASKED || name.length == 0) return name;
    const size_t from = file_.pieces.size();
    const auto& question = questions_[random_.below(questions_.size())];
    file_.pieces.insert(file_.pieces.end(), question.begin(), question.end());
    for (size_t at = name.from; at < name.from + name.length; at++) file_.pieces.push_back(file_.pieces[at]);
    return side(from, file_.pieces.size());
  }

  Side joined(Side one, Side other) {
    const size_t from = file_.pieces.size();
    for (const Side& part : {one, other})
      for (size_t at = part.from; at < part.from + part.length; at++) file_.pieces.push_back(file_.pieces[at]);
    return side(from, file_.pieces.size());
  }

  void add(uint8_t kind, Side left, Side right, const Line& line, float weight = 1) {
    if (left.length == 0 || right.length == 0) return;
    const uint8_t heldBack = line.document * 2654435761u % HELD_BACK == 0;
    file_.pairs.push_back({left, right, line.document, line.group, kind, heldBack, 0, weight * weights_[line.group]});
  }

  void addPair(const Line& line) {
    Side left = append(line.text);
    const Side right = append(line.right);
    if (line.kind == Kind::definition) left = asked(left);
    add(uint8_t(line.kind), left, right, line);
  }

  void addParagraph(const Line& line) {
    const uint32_t stop = folded_.text.empty() ? 0 : folded_.words.number.at(".");
    std::vector<size_t> ends;
    const size_t from = file_.pieces.size();
    for (size_t at = line.text.from; at < line.text.to; at++) {
      if (folded_.text[at] == stop) {
        ends.push_back(file_.pieces.size());
        continue;
      }
      const auto& pieces = encoded_[folded_.text[at]];
      file_.pieces.insert(file_.pieces.end(), pieces.begin(), pieces.end());
    }
    ends.push_back(file_.pieces.size());
    const Side whole = side(from, ends.back());
    if (whole.length < SHORTEST_PASSAGE) return;
    if (title_.length > 0 && passages_ < TITLED_PASSAGES && heading_.length == 0)
      add(uint8_t(Kind::title), asked(title_), whole, line);
    if (heading_.length > 0 && passages_ < HEADED_PASSAGES)
      add(uint8_t(Kind::heading), asked(random_.uniform() < 0.5 ? joined(title_, heading_) : heading_), whole, line);
    passages_++;
    addCloze(line, from, ends);
    addAdjacent(line, whole, from, ends);
    earlier_ = whole;
  }

  /** Sentences, each with the rest of its paragraph (inverse cloze task: Lee, Chang and Toutanova, ACL 2019). */
  void addCloze(const Line& line, size_t from, const std::vector<size_t>& ends) {
    if (ends.size() < 3) return;
    // Of what lies within the longest side, so that the gap is in it.
    std::vector<std::pair<size_t, size_t>> sentences;
    for (size_t at = 0, start = from; at < ends.size(); start = ends[at++])
      if (ends[at] - start >= SHORTEST_SENTENCE && ends[at] - from <= LONGEST_SIDE) sentences.push_back({start, ends[at]});
    if (sentences.empty()) return;
    random_.shuffle(sentences);
    if (sentences.size() > CLOZES) sentences.resize(CLOZES);
    for (const auto& [start, end] : sentences) {
      const size_t last = std::min(ends.back(), from + LONGEST_SIDE + (end - start));
      if (last - from < (end - start) + SHORTEST_PASSAGE) continue;
      const Side rest{uint32_t(from), uint16_t(last - from), uint16_t(start - from), uint16_t(end - start)};
      add(CLOZE, side(start, end), rest, line);
    }
  }

  void addAdjacent(const Line& line, Side whole, size_t from, const std::vector<size_t>& ends) {
    if (earlier_.length > 0 && random_.uniform() < 0.5) return add(ADJACENT, earlier_, whole, line, ADJACENT_WEIGHT);
    if (ends.size() < 4) return;
    const size_t middle = ends[ends.size() / 2 - 1];
    if (middle - from < SHORTEST_PASSAGE || ends.back() - middle < SHORTEST_PASSAGE) return;
    add(ADJACENT, side(from, middle), side(middle, ends.back()), line, ADJACENT_WEIGHT);
  }

  const Folded& folded_;
  std::vector<std::vector<uint16_t>> encoded_;
  std::vector<std::vector<uint16_t>> questions_;
  std::vector<float> weights_;
  PairFile file_;
  Random random_{1};
  Side title_{}, heading_{}, earlier_{};
  int passages_ = 0;
};
