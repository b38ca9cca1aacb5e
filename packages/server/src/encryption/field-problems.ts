/** Matches a misspelt field, and not a secret that was put in the place of a field. */
const plainName = /^[A-Za-z][A-Za-z0-9]{0,19}$/

/** Collects the problems of a configuration, each with its field and the fix. */
export class FieldProblems {
  readonly #found: string[] = []

  get found(): readonly string[] {
    return this.#found
  }

  add(path: string, message: string): void {
    this.#found.push(path === '' ? message : `${path}: ${message}`)
  }

  /** An object without unknown fields: a misspelt field would be a rule without effect. */
  object(path: string, value: unknown, known: readonly string[]): Record<string, unknown> | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.add(path, `must be an object with ${known.join(', ') || 'nothing in it'}`)
      return undefined
    }
    for (const field of Object.keys(value)) {
      if (known.includes(field)) continue
      const advice = known.length === 0 ? 'leave it empty: {}' : `there are ${known.join(', ')}`
      if (plainName.test(field))
        this.add(path === '' ? field : `${path}.${field}`, `unknown field; ${advice}`)
      else this.add(path, `a field with a name that is not shown, since it may be a secret; ${advice}`)
    }
    return value as Record<string, unknown>
  }

  list(path: string, value: unknown, what: string): readonly unknown[] {
    if (value !== undefined && value !== null && !Array.isArray(value)) {
      this.add(path, `must be a list of ${what}`)
      return []
    }
    if (!Array.isArray(value) || value.length === 0) {
      this.add(path, `is required: name at least one of the ${what}`)
      return []
    }
    return value
  }

  text(path: string, value: unknown, what: string): string | undefined {
    if (typeof value === 'string' && value !== '') return value
    this.add(path, value === undefined || value === '' ? `is required: ${what}` : `must be text: ${what}`)
    return undefined
  }
}
