// Files and figures of many flights.
#include <tidepool/data.h>
#include <tidepool/loader.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cli/trajectories/files.h"
#include "cli/trajectories/summary.h"
#include "support/devices.h"
#include "support/files.h"

namespace tidepool::cli {
namespace {

class FlightFiles : public FilesTest {
 protected:
  // Two blocks, of which flight 2 did not land.
  static FlightBlock block(std::int64_t first, std::int64_t size) {
    FlightBlock b{.first = first, .size = size, .launches = {}, .outcomes = {}};
    b.launches.resize(launch_rows * flights_of_a_block);
    b.outcomes.resize(outcome_rows * flights_of_a_block);
    for (std::size_t r = 0; r < launch_rows; ++r)
      for (std::int64_t i = 0; i < size; ++i) b.launches[r * flights_of_a_block + static_cast<std::size_t>(i)] = value(first + i, r);
    for (std::size_t r = 0; r < outcome_rows; ++r)
      for (std::int64_t i = 0; i < size; ++i)
        b.outcomes[r * flights_of_a_block + static_cast<std::size_t>(i)] = value(first + i, launch_rows + r);
    return b;
  }
  static float value(std::int64_t flight, std::size_t column) {
    const float steps = flight == 2 ? -40.0F : 17.0F;
    return column == 10 ? steps : static_cast<float>(flight) + 0.1F * static_cast<float>(column) + 1e-5F;
  }
  void write_flights(const std::string& name) const {
    const auto file = FlightFile::open(path(name), 7);
    file->add(block(0, 4));
    file->add(block(4, 3));
    EXPECT_FALSE(names().contains(name)) << "not before all are there";
    file->finish();
    EXPECT_EQ(names(), std::set<std::string>{name});
  }
};

// Bit by bit; nan where the flight did not land.
void expect_flights(const std::vector<float>& got, std::size_t columns, const std::function<float(std::int64_t, std::size_t)>& value) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto flight = static_cast<std::int64_t>(i / columns);
    const std::size_t column = i % columns;
    if (flight == 2 && column >= launch_rows && column < 10)
      EXPECT_TRUE(std::isnan(got[i])) << column;
    else
      EXPECT_EQ(got[i], std::abs(value(flight, column))) << flight << ", " << column;
  }
}

TEST_F(FlightFiles, NpyIsReadAsItWasWritten) {
  write_flights("a.npy");
  const data::Dataset set = data::npy(path("a.npy"), path("a.npy"));
  EXPECT_EQ(set.size(), 7);
  const data::Batch batch = *data::Loader(set, {.batch = 7}).begin();
  EXPECT_EQ(batch.x.shape(), (Shape{7, 11}));
  expect_flights(batch.x.to_host<float>(), 11, value);
}

TEST_F(FlightFiles, CsvKeepsEveryBitAndNamesItsColumns) {
  write_flights("a.csv");
  const std::string text = contents(path("a.csv"));
  EXPECT_EQ(text.find("speed,elevation,azimuth,spin,tilt,x,y,time,apex,landing_speed,steps\n"), 0U);
  EXPECT_EQ(std::ranges::count(text, '\n'), 8);
  const data::Dataset set = data::csv(path("a.csv"), {.labels = false});
  const data::Batch batch = *data::Loader(set, {.batch = 7}).begin();
  expect_flights(batch.x.to_host<float>(), 10, value);
}

TEST_F(FlightFiles, LeaveTheOldFileWhereTheyDoNotEnd) {
  write("a.csv", "old");
  FlightFile::open(path("a.csv"), 3)->add(block(0, 3));
  EXPECT_EQ(contents(path("a.csv")), "old");
  EXPECT_EQ(names(), std::set<std::string>{"a.csv"});
  EXPECT_THROW(FlightFile::open(path("nowhere/a.csv"), 3), IoError);
}

TEST(FlightFigures, AreThoseOfAllNumbers) {
  std::mt19937 random(1);
  std::lognormal_distribution<float> draw(2, 1);
  std::vector<float> numbers(20'000);
  Distribution distribution;
  double sum = 0;
  for (float& number : numbers) {
    distribution.add(number = draw(random));
    sum += static_cast<double>(number);
  }
  std::ranges::sort(numbers);
  EXPECT_DOUBLE_EQ(distribution.mean(), sum / 20'000);
  EXPECT_EQ(distribution.smallest(), numbers.front());
  EXPECT_EQ(distribution.largest(), numbers.back());
  for (const double part : {0.01, 0.05, 0.5, 0.95, 0.99}) {
    const double exact = numbers[static_cast<std::size_t>(std::lround(part * 19'999))];
    EXPECT_NEAR(distribution.percentile(part) / exact, 1, 2e-3) << part;
  }
  EXPECT_EQ(distribution.percentile(0), numbers.front());
  EXPECT_EQ(distribution.percentile(1), numbers.back());
}

TEST(FlightFigures, KnowZeroAndOneNumberAlone) {
  Distribution one;
  one.add(3.25F);
  for (const double part : {0.0, 0.5, 1.0}) EXPECT_EQ(one.percentile(part), 3.25);
  Distribution zeros;
  for (const float zero : {0.0F, -0.0F, 0.0F}) zeros.add(zero);
  EXPECT_EQ(zeros.percentile(0.5), 0);
}

}  // namespace
}  // namespace tidepool::cli
