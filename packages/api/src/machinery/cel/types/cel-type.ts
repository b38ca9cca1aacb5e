/** The types that expressions are checked by. */
export type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  /** A type with a name and parameters of its own, such as `optional_type(string)`. */
  | 'opaque'
  /** Stands for any one type in a declaration, or for one that is not known yet. */
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  /** The type of types. */
  | 'type'
  | 'uint'

export interface CelType {
  readonly kind: TypeKind
  readonly name: string
  readonly parameters: readonly CelType[]
}

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, parameters: [] })

export const BOOL = simple('bool')
export const BYTES = simple('bytes')
export const DOUBLE = simple('double')
export const DURATION = simple('duration', 'google.protobuf.Duration')
export const DYN = simple('dyn')
export const ERROR = simple('error', '!error!')
export const INT = simple('int')
export const NULL = simple('null', 'null_type')
export const STRING = simple('string')
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp')
export const TYPE = simple('type')
export const UINT = simple('uint')

export const listOf = (element: CelType): CelType => ({ kind: 'list', name: 'list', parameters: [element] })
export const mapOf = (key: CelType, value: CelType): CelType => ({
  kind: 'map',
  name: 'map',
  parameters: [key, value],
})
export const opaque = (name: string, ...parameters: readonly CelType[]): CelType => ({
  kind: 'opaque',
  name,
  parameters,
})
export const optionalOf = (type: CelType): CelType => opaque('optional_type', type)
export const struct = (name: string): CelType => simple('struct', name)
export const typeOf = (type: CelType): CelType => ({ kind: 'type', name: 'type', parameters: [type] })
export const typeParameter = (name: string): CelType => simple('param', name)

export const isOptional = (type: CelType): boolean => type.kind === 'opaque' && type.name === 'optional_type'

/** The type inside an optional; any other type is returned as it is. */
export const unwrapOptional = (type: CelType): CelType =>
  isOptional(type) ? (type.parameters[0] ?? DYN) : type

export const isDyn = (type: CelType): boolean => type.kind === 'dyn'
export const isDynOrError = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error'

export function sameType(a: CelType, b: CelType): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.parameters.length === b.parameters.length &&
      a.parameters.every((each, index) => sameType(each, b.parameters[index] ?? ERROR)))
  )
}

/** As messages about expressions name a type. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'duration':
    case 'error':
    case 'null':
    case 'timestamp':
      return type.kind === 'error' ? '!error!' : type.kind
    default:
      return type.parameters.length === 0
        ? type.name
        : `${type.name}(${type.parameters.map(typeText).join(', ')})`
  }
}

/** `(int, string)`, or `list(int).(string)` for a method. */
export function signatureText(argumentTypes: readonly CelType[], isMethod: boolean): string {
  const [receiver, ...rest] = argumentTypes
  return isMethod && receiver
    ? `${typeText(receiver)}.(${rest.map(typeText).join(', ')})`
    : `(${argumentTypes.map(typeText).join(', ')})`
}
