// Stage 2: folded text to a vocabulary and pairs of texts.
#include <cstring>
#include <iostream>

#include "make-pairs.h"
#include "overlap.h"

namespace {
void writeVocabulary(const std::string& path, const Tokenizer& tokenizer) {
  std::ofstream file(path, std::ios::binary);
  for (const std::string& piece : tokenizer.pieces) file << piece << '\n';
}

/** `medical=1.5,books=0.7` */
std::unordered_map<std::string, float> readWeights(const std::string& text) {
  std::unordered_map<std::string, float> weights;
  eachPart(text, ',', [&](std::string_view part) {
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos)
      weights[std::string(part.substr(0, equals))] = std::stof(std::string(part.substr(equals + 1)));
  });
  return weights;
}
}  // namespace

int main(int count, char** arguments) try {
  if (count != 7) throw std::runtime_error("usage: prepare FOLDED JUDGED PIECES WEIGHTS VOCABULARY PAIRS");
  Folded folded = readFolded(arguments[1]);
  std::cout << folded.lines.size() << " lines, " << folded.text.size() << " words, " << folded.words.spelling.size() << " distinct\n";
  const OverlapFilter filter(arguments[2]);
  const auto [overlapping, repeated] = filter.apply(folded);
  std::cout << filter.size() << " sequences of " << GRAM << " words are in test collections; dropped " << overlapping
            << " lines that share one, and " << repeated << " paragraphs that begin like another\n";
  const Tokenizer tokenizer = Tokenizer::learn(folded.words, size_t(std::stoi(arguments[3])));
  writeVocabulary(arguments[5], tokenizer);
  std::cout << tokenizer.pieces.size() << " pieces\n";
  const PairFile file = PairMaker(folded, tokenizer, readWeights(arguments[4])).make();
  size_t kinds[11] = {}, heldBack = 0;
  for (const Pair& pair : file.pairs) kinds[pair.kind]++, heldBack += pair.heldBack;
  const char* names[] = {"title", "heading", "", "answer", "definition", "synonym", "example", "hypernym", "trivia", "cloze", "adjacent"};
  std::cout << file.pairs.size() << " pairs, " << heldBack << " of them held back:";
  for (int kind = 0; kind < 11; kind++)
    if (kinds[kind]) std::cout << ' ' << kinds[kind] << ' ' << names[kind];
  std::cout << '\n';
  writePairs(arguments[6], file);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "prepare: " << error.what() << '\n';
  return 1;
}
