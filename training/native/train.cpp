// Stage 3: pairs of texts to a table of vectors.
#include <chrono>
#include <fstream>
#include <iostream>

#include "trainer.h"

namespace {
size_t countLines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  size_t lines = 0;
  for (std::string line; std::getline(file, line);) lines++;
  return lines;
}

/** What the table makes of pairs that it never learns from; nothing where there is no batch of them. */
std::string measure(Trainer& trainer, Batches& batches) {
  Texts texts;
  Outcome sum{0, 0};
  size_t count = 0;
  for (; batches.heldBack(count, texts); count++) {
    const Outcome one = trainer.compare(texts);
    sum.loss += one.loss;
    sum.accuracy += one.accuracy;
  }
  if (count == 0) return "";
  return " held back " + std::to_string(sum.loss / double(count)) + ' ' + std::to_string(sum.accuracy / double(count));
}
}  // namespace

int main(int count, char** arguments) try {
  if (count < 4) throw std::runtime_error("usage: train PAIRS VOCABULARY TABLE [name=value]…");
  const Settings settings = Settings::from(count - 4, arguments + 4);
  const PairFile file = readPairs(arguments[1]);
  Batches batches(file, settings);
  Trainer trainer(file, countLines(arguments[2]), settings);
  const auto start = std::chrono::steady_clock::now();
  Texts texts;
  double loss = 0, accuracy = 0;
  const size_t report = std::max<size_t>(1, settings.batches / 20);
  for (size_t at = 0; at < settings.batches; at++) {
    const double warm = std::min(1.0, double(at + 1) / double(settings.warmUp));
    const double left = 1 - double(at) / double(settings.batches);
    batches.next(texts);
    const Outcome outcome = trainer.step(texts, settings.rate * warm * left);
    loss += outcome.loss, accuracy += outcome.accuracy;
    if ((at + 1) % report) continue;
    const std::string unseen = measure(trainer, batches);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::cout << "batch " << at + 1 << " loss " << loss / double(report) << " accuracy " << accuracy / double(report)
              << unseen << ' ' << int(seconds) << " s" << std::endl;
    loss = accuracy = 0;
  }
  std::ofstream output(arguments[3], std::ios::binary);
  output.write(reinterpret_cast<const char*>(trainer.table().data()), std::streamsize(trainer.table().size() * sizeof(float)));
  if (!output.flush()) throw std::runtime_error(std::string("cannot write ") + arguments[3]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "train: " << error.what() << '\n';
  return 1;
}
