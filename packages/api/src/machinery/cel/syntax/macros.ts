import { copyExpression, type Expression } from './expression.ts'

/** The name of what loops build up. No identifier can be written like it. */
const ACCUMULATOR = '@result'

export type Expanded =
  | { readonly expression: Expression }
  | { readonly offset: number; readonly problem: string }

/** Writes a call out, at the place of the call. Undefined if it is an ordinary call after all. */
type Macro = (
  make: ReturnType<typeof maker>,
  target: Expression,
  args: readonly Expression[],
) => Expanded | undefined

/** What the call of that name stands for, if it is a macro. */
export function expandMacro(
  name: string,
  target: Expression | undefined,
  args: readonly Expression[],
  offset: number,
): Expanded | undefined {
  if (target === undefined) return name === 'has' && args.length === 1 ? expandHas(args, offset) : undefined
  const macro = macros.get(`${name}/${args.length}`)
  return macro?.(maker(offset), target, args)
}

function expandHas([argument]: readonly Expression[], offset: number): Expanded | undefined {
  if (!argument) return undefined
  if (argument.kind !== 'select' || argument.isTest) {
    return { offset: argument.offset, problem: 'invalid argument to has() macro' }
  }
  return { expression: { ...argument, offset, isTest: true } }
}

function maker(offset: number) {
  const call = (name: string, ...args: readonly Expression[]): Expression => ({
    kind: 'call',
    name,
    target: undefined,
    arguments: args,
    offset,
  })
  const literal = (value: boolean | bigint): Expression => ({ kind: 'literal', value, offset })
  const identifier = (name: string): Expression => ({ kind: 'identifier', name, offset })
  return {
    call,
    literal,
    identifier,
    result: () => identifier(ACCUMULATOR),
    method: (name: string, target: Expression, ...args: readonly Expression[]): Expression => ({
      kind: 'call',
      name,
      target,
      arguments: args,
      offset,
    }),
    list: (...elements: readonly Expression[]): Expression => ({
      kind: 'list',
      elements,
      optionals: new Set(),
      offset,
    }),
    map: (): Expression => ({ kind: 'map', entries: [], offset }),
    loop: (
      range: Expression,
      variables: readonly [string, string?],
      parts: { start: Expression; condition: Expression; step: Expression; result: Expression },
      accumulator: string = ACCUMULATOR,
    ): Expanded => ({
      expression: {
        kind: 'comprehension',
        range,
        variable: variables[0],
        secondVariable: variables[1],
        accumulator,
        ...parts,
        offset,
      },
    }),
  }
}

type Made = ReturnType<typeof maker>

/** The names of one or two variables, or what is wrong with them. */
function variablesOf(
  args: readonly Expression[],
  message: string,
): { names: readonly [string, string?] } | { offset: number; problem: string } {
  const names: string[] = []
  for (const argument of args) {
    if (argument.kind !== 'identifier') return { offset: argument.offset, problem: message }
    if (names.includes(argument.name)) {
      return { offset: argument.offset, problem: `duplicate variable name: ${argument.name}` }
    }
    if (argument.name === ACCUMULATOR || argument.name === '__result__') {
      return {
        offset: argument.offset,
        problem: 'iteration variable overwrites accumulator variable',
      }
    }
    names.push(argument.name)
  }
  return { names: names as unknown as readonly [string, string?] }
}

/** A macro whose first arguments are variables. */
const overVariables =
  (
    count: 1 | 2,
    build: (
      make: Made,
      target: Expression,
      names: readonly [string, string?],
      rest: readonly Expression[],
    ) => Expanded,
    message = 'argument must be a simple name',
  ): Macro =>
  (make, target, args) => {
    const variables = variablesOf(args.slice(0, count), message)
    return 'problem' in variables ? variables : build(make, target, variables.names, args.slice(count))
  }

const all = (count: 1 | 2): Macro =>
  overVariables(count, (make, target, names, [test]) =>
    make.loop(target, names, {
      start: make.literal(true),
      condition: make.call('@not_strictly_false', make.result()),
      step: make.call('_&&_', make.result(), test as Expression),
      result: make.result(),
    }),
  )

const exists = (count: 1 | 2): Macro =>
  overVariables(count, (make, target, names, [test]) =>
    make.loop(target, names, {
      start: make.literal(false),
      condition: make.call('@not_strictly_false', make.call('!_', make.result())),
      step: make.call('_||_', make.result(), test as Expression),
      result: make.result(),
    }),
  )

const existsOne = (count: 1 | 2): Macro =>
  overVariables(count, (make, target, names, [test]) =>
    make.loop(target, names, {
      start: make.literal(0n),
      condition: make.literal(true),
      step: make.call(
        '_?_:_',
        test as Expression,
        make.call('_+_', make.result(), make.literal(1n)),
        make.result(),
      ),
      result: make.call('_==_', make.result(), make.literal(1n)),
    }),
  )

/** Each element made into another one, perhaps only those that pass a test. */
const toList = (count: 1 | 2, message?: string): Macro =>
  overVariables(
    count,
    (make, target, names, rest) => {
      const [filter, transform] = rest.length === 2 ? rest : [undefined, rest[0]]
      return collect(make, target, names, filter, make.list(), (result) =>
        make.call('_+_', result, make.list(transform as Expression)),
      )
    },
    message,
  )

const filter: Macro = (make, target, args) =>
  overVariables(
    1,
    (_, range, names, [test]) =>
      collect(make, range, names, test, make.list(), (result) =>
        make.call('_+_', result, make.list(args[0] as Expression)),
      ),
    'argument is not an identifier',
  )(make, target, args)

const toMap: Macro = overVariables(2, (make, target, names, rest) => {
  const [test, transform] = rest.length === 2 ? rest : [undefined, rest[0]]
  return collect(make, target, names, test, make.map(), (result) =>
    make.call('cel.@mapInsert', result, make.identifier(names[0]), transform as Expression),
  )
})

const toMapEntry: Macro = overVariables(2, (make, target, names, rest) => {
  const [test, transform] = rest.length === 2 ? rest : [undefined, rest[0]]
  return collect(make, target, names, test, make.map(), (result) =>
    make.call('cel.@mapInsert', result, transform as Expression),
  )
})

function collect(
  make: Made,
  target: Expression,
  names: readonly [string, string?],
  test: Expression | undefined,
  start: Expression,
  add: (result: Expression) => Expression,
): Expanded {
  const added = add(make.result())
  return make.loop(target, names, {
    start,
    condition: make.literal(true),
    step: test ? make.call('_?_:_', test, added, make.result()) : added,
    result: make.result(),
  })
}

/** Gives a value a name within one expression: a loop over nothing whose accumulator is the value. */
const bind = (make: Made, name: string, value: Expression, within: Expression): Expression => {
  const expanded = make.loop(
    make.list(),
    ['#unused'],
    {
      start: value,
      condition: make.literal(false),
      step: make.identifier(name),
      result: within,
    },
    name,
  )
  return (expanded as { expression: Expression }).expression
}

const optionalMap =
  (name: string, isFlat: boolean): Macro =>
  (make, target, [variable, transform]) => {
    if (variable?.kind !== 'identifier') {
      return {
        offset: variable?.offset ?? 0,
        problem: `${name}() variable name must be a simple identifier`,
      }
    }
    const value = make.method('value', copyExpression(target))
    const bound = bind(make, variable.name, value, transform as Expression)
    return {
      expression: make.call(
        '_?_:_',
        make.method('hasValue', target),
        isFlat ? bound : make.call('optional.of', bound),
        make.call('optional.none'),
      ),
    }
  }

/** Sorted by what each element is made into. */
const sortBy: Macro = (make, target, [variable, key]) => {
  if (
    target.kind !== 'list' &&
    target.kind !== 'select' &&
    target.kind !== 'identifier' &&
    target.kind !== 'comprehension' &&
    target.kind !== 'call'
  ) {
    return {
      offset: target.offset,
      problem: 'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    }
  }
  const input = '@__sortBy_input__'
  const keys = toList(1)(make, make.identifier(input), [variable as Expression, key as Expression])
  if (!keys || 'problem' in keys) return keys
  const sorted = make.method('@sortByAssociatedKeys', make.identifier(input), keys.expression)
  return { expression: bind(make, input, target, sorted) }
}

const macros: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['all/2', all(1)],
  ['all/3', all(2)],
  ['exists/2', exists(1)],
  ['exists/3', exists(2)],
  ['exists_one/2', existsOne(1)],
  ['exists_one/3', existsOne(2)],
  ['existsOne/2', existsOne(1)],
  ['existsOne/3', existsOne(2)],
  ['map/2', toList(1, 'argument is not an identifier')],
  ['map/3', toList(1, 'argument is not an identifier')],
  ['filter/2', filter],
  ['transformList/3', toList(2)],
  ['transformList/4', toList(2)],
  ['transformMap/3', toMap],
  ['transformMap/4', toMap],
  ['transformMapEntry/3', toMapEntry],
  ['transformMapEntry/4', toMapEntry],
  ['optMap/2', optionalMap('optMap', false)],
  ['optFlatMap/2', optionalMap('optFlatMap', true)],
  ['sortBy/2', sortBy],
])
