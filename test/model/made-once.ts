/** Values by number, each made when it is first asked for. */
export class MadeOnce<T> {
  readonly #values: T[] = []
  readonly #make: (number: number) => T

  constructor(make: (number: number) => T) {
    this.#make = make
  }

  at(number: number): T {
    const known = this.#values[number]
    if (known !== undefined) return known
    const made = this.#make(number)
    this.#values[number] = made
    return made
  }
}
