export type PathStep =
  | { readonly do: 'field'; readonly field: string }
  /** Every field, or every element. */
  | { readonly do: 'all' }
  /** The value itself, and everything inside of it that has an inside. */
  | { readonly do: 'descend' }
  | { readonly do: 'slice'; readonly slice: Slice }
  | { readonly do: 'union'; readonly paths: readonly (readonly PathStep[])[] }
  | {
      readonly do: 'filter'
      readonly left: readonly PathStep[]
      readonly operator: string
      readonly right: readonly PathStep[]
    }
  /** Something that was written down in the path. */
  | { readonly do: 'value'; readonly value: string | number | boolean; readonly isFloat?: boolean }
  /** `range` and `end`, which mean nothing in a single path, and words that mean nothing at all. */
  | { readonly do: 'identifier'; readonly name: string }

export interface Slice {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly step?: number | undefined
  /** It was written as a single index. */
  readonly isIndex: boolean
}

/** A path that cannot be read, or that a value has no answer to. */
export class PathProblem extends Error {}
