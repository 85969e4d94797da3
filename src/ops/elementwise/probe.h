// Finds out at compile time which of x, y and d an expression of the tables reads: the expression is evaluated over
// types that only remember what went into them.
#pragma once

namespace tidepool::inline v0 {
namespace probe {

template <int reads, bool bare = false>
struct Value {
  static constexpr int mask = reads;
  static constexpr bool reads_x = (reads & 1) != 0;
  static constexpr bool reads_y = (reads & 2) != 0;
  static constexpr bool is_d = bare && reads == 4;  // d itself, nothing done to it
};
using X = Value<1, true>;
using Y = Value<2, true>;
using D = Value<4, true>;
template <class T>
constexpr int mask_of = T::mask;
template <>
inline constexpr int mask_of<float> = 0;

template <class A, class B>
using Joined = Value<mask_of<A> | mask_of<B>>;
template <class T>
constexpr bool is_value = false;
template <int reads, bool bare>
inline constexpr bool is_value<Value<reads, bare>> = true;
template <class A, class B>
concept Either = is_value<A> || is_value<B>;

template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator+(A, B);
template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator-(A, B);
template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator*(A, B);
template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator/(A, B);
template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator>(A, B);
template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator<(A, B);
template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator>=(A, B);
template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator<=(A, B);
template <class A, class B>
  requires Either<A, B>
Joined<A, B> operator==(A, B);
template <int reads, bool bare>
Value<reads> operator-(Value<reads, bare>);
template <class A, class B>
Joined<A, B> power(A, B);
template <class C, class A, class B>
Value<mask_of<C> | mask_of<A> | mask_of<B>> select(C, A, B);
template <int reads, bool bare>
Value<reads> abs(Value<reads, bare>);
template <int reads, bool bare>
Value<reads> sqrt(Value<reads, bare>);
template <int reads, bool bare>
Value<reads> exp(Value<reads, bare>);
template <int reads, bool bare>
Value<reads> log(Value<reads, bare>);
template <int reads, bool bare>
Value<reads> log1p(Value<reads, bare>);
template <int reads, bool bare>
Value<reads> erf(Value<reads, bare>);
template <int reads, bool bare>
Value<reads> tanh(Value<reads, bare>);
template <int reads, bool bare>
Value<reads> sin(Value<reads, bare>);
template <int reads, bool bare>
Value<reads> cos(Value<reads, bare>);

struct Numbers {
  Value<0> a, b;
};

}  // namespace probe
}  // namespace tidepool::inline v0
