// A report as words, tables and charts, before it is Markdown or HTML. Nothing in it is escaped yet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tidepool::inline v0::monitor {

struct Words {
  enum Look { plain, code, strong, good, bad };
  std::string text = {};
  Look look = plain;
};
Words code(std::string_view name);  // a name that the program or somebody else gave, cleaned

// A sentence or a table's cell.
struct Line {
  std::vector<Words> words = {};
  Line() = default;
  Line(const char* text) : words{{.text = text}} {}
  Line(std::string text) : words{{.text = std::move(text)}} {}
  Line(Words one) : words{std::move(one)} {}
  Line(std::initializer_list<Words> some) : words(some) {}
  bool empty() const;
};
Line foreign(std::string_view message);                             // somebody's sentence, cleaned; what is `between these` is code
Line headed(const std::string& heading, std::string_view message);  // "**Heading.** Message.", likewise

struct Table {
  struct Column {
    std::string heading = {};
    bool figures = false;  // to the right
  };
  std::string caption = {};
  std::vector<Column> columns = {};  // the first is what a row is about
  std::vector<std::vector<Line>> rows = {};
};

struct List {
  std::vector<Line> items = {};
  bool numbered = false;
};

// Values over time: lines, or areas on top of each other.
struct Chart {
  struct Series {
    std::string name = {};
    std::vector<double> values = {};  // as many as times; what is not finite is a gap
    int colour = 0;
    bool outline = false;  // a line over the areas, not one of them
  };
  std::string title = {}, caption = {};  // the caption says in words what is to be seen
  std::vector<double> times = {};        // seconds, rising
  std::vector<Series> series = {};
  bool stacked = false, logarithmic = false;
  std::optional<double> line = {};  // across: a limit, or a median
  std::string line_name = {};
  double highest = 0;                      // what is above is cut off; 0: nothing is
  std::string (*label)(double) = nullptr;  // of a value, on the axis
  double unit = 10;                        // 1024 for bytes, so that the axis has round figures
};

// Parts of a whole, as one bar.
struct Bar {
  struct Part {
    std::string name = {};
    double share = 0;  // 0 to 1
    int colour = 0;
  };
  std::string title = {};
  std::vector<Part> parts = {};
};

using Element = std::variant<Line, Table, List, Chart, Bar>;

struct Section {
  std::string title = {}, id = {};
  std::vector<Element> elements = {};
};

struct Document {
  std::string title = {}, subtitle = {};
  std::vector<Section> sections = {};
};

}  // namespace tidepool::inline v0::monitor
