import { type CelError, noSuchOverload, OpaqueValue, type Value } from '../evaluation/value.ts'
import { FORMAT } from './opaque-types.ts'

/** A rule for texts that has a name. */
export class FormatValue extends OpaqueValue {
  readonly type = FORMAT
  readonly name: string
  readonly problems: (text: string) => readonly string[]
  /** How long the pattern is that it counts as. */
  readonly patternSize: number

  constructor(name: string, problems: (text: string) => readonly string[], patternSize: number) {
    super()
    this.name = name
    this.problems = problems
    this.patternSize = patternSize
  }

  equals(other: Value): boolean | CelError {
    return other instanceof FormatValue ? other.name === this.name : noSuchOverload()
  }
}
