import type { Value } from '../evaluation/value.ts'
import type { CelType } from './cel-type.ts'

/** One form of a function: what it takes and gives, and what it does. */
export interface Overload {
  /** Upstream's ID of the overload. Costs are looked up by it. */
  readonly id: string
  readonly isMethod: boolean
  readonly parameters: readonly CelType[]
  readonly result: CelType
  /** Is never given an error, and only values that its parameters allow. */
  readonly run: (...args: never[]) => Value
}

export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}

type Run = Overload['run']

export const globalForm = (
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  run: Run,
): Overload => ({ id, isMethod: false, parameters, result, run })

/** Called on its first argument: `text.size()`. */
export const method = (id: string, parameters: readonly CelType[], result: CelType, run: Run): Overload => ({
  id,
  isMethod: true,
  parameters,
  result,
  run,
})

export const declare = (name: string, ...overloads: readonly Overload[]): FunctionDeclaration => ({
  name,
  overloads,
})

export type Functions = ReadonlyMap<string, FunctionDeclaration>

/** Declarations of one name from several libraries are one function. */
export function collectFunctions(...libraries: ReadonlyArray<readonly FunctionDeclaration[]>): Functions {
  const all = new Map<string, FunctionDeclaration>()
  for (const { name, overloads } of libraries.flat()) {
    all.set(name, { name, overloads: [...(all.get(name)?.overloads ?? []), ...overloads] })
  }
  return all
}

/** What expressions may refer to. */
export interface Environment {
  readonly functions: Functions
  readonly variables: ReadonlyMap<string, CelType>
  /** The fields of the types of objects, by the name of the type. */
  readonly structs: ReadonlyMap<string, ReadonlyMap<string, CelType>>
}
