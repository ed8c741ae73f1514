// Settings as `name=value` arguments.
#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

struct Settings {
  size_t dimensions = 512;
  size_t batch = 1024;
  size_t batches = 3000;
  size_t threads = 2;
  uint64_t seed = 1;
  /** Of Adam; linear to 0 after the warm-up. */
  double rate = 0.2;
  size_t warmUp = 100;
  /** What a number is drawn to zero by at each step, times the rate. */
  double decay = 0;
  double temperature = 0.05;
  /** Share of batches whose pairs are all of one group. */
  double grouped = 0.7;
  /** Chance that a piece which both sides have is left out of one of them. */
  double overlapDropout = 0.95;
  /** Chance that a piece of the left side gives way to a synonym. */
  double synonyms = 0.1;

  static Settings from(int count, char** arguments) {
    Settings settings;
    std::map<std::string, double> given;
    for (int at = 0; at < count; at++) {
      const std::string argument = arguments[at];
      const size_t equals = argument.find('=');
      if (equals == std::string::npos) throw std::runtime_error(argument + " is no name=value");
      given[argument.substr(0, equals)] = std::stod(argument.substr(equals + 1));
    }
    const auto take = [&](const char* name, auto& field) {
      const auto at = given.find(name);
      if (at == given.end()) return;
      field = static_cast<std::remove_reference_t<decltype(field)>>(at->second);
      given.erase(at);
    };
    take("dimensions", settings.dimensions);
    take("batch", settings.batch);
    take("batches", settings.batches);
    take("threads", settings.threads);
    take("seed", settings.seed);
    take("rate", settings.rate);
    take("warmUp", settings.warmUp);
    take("decay", settings.decay);
    take("temperature", settings.temperature);
    take("grouped", settings.grouped);
    take("overlapDropout", settings.overlapDropout);
    take("synonyms", settings.synonyms);
    if (!given.empty()) throw std::runtime_error("there is no setting " + given.begin()->first);
    if (settings.batch % 16 != 0 || settings.dimensions % 16 != 0)
      throw std::runtime_error("batch and dimensions must be multiples of 16");
    return settings;
  }
};
