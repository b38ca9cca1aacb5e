import {
  DurationValue,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  TimestampValue,
  TypeValue,
  UintValue,
  type Value,
} from '../evaluation/value.ts'
import { type CelType, isOptional } from './cel-type.ts'

/** Whether a value may be given for a parameter. Of containers, only what they are: elements tell by themselves. */
export function fitsType(value: Value, type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean'
    case 'int':
      return typeof value === 'bigint'
    case 'uint':
      return value instanceof UintValue
    case 'double':
      return typeof value === 'number'
    case 'string':
      return typeof value === 'string'
    case 'bytes':
      return value instanceof Uint8Array
    case 'null':
      return value === null
    case 'list':
      return value instanceof ListValue && elementsFit(value, type)
    case 'map':
      return value instanceof MapValue
    case 'timestamp':
      return value instanceof TimestampValue
    case 'duration':
      return value instanceof DurationValue
    case 'type':
      return value instanceof TypeValue
    case 'opaque':
    case 'struct':
      if (isOptional(type)) return value instanceof OptionalValue
      return value instanceof OpaqueValue && value.type.name === type.name
    default:
      return true
  }
}

/** The first element decides between forms for lists of this and lists of that. */
function elementsFit(list: ListValue, { parameters: [element] }: CelType): boolean {
  return element === undefined || element.kind === 'list' || list.size === 0 || fitsType(list.at(0), element)
}
