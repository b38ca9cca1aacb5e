import { ageOf, type Cell, type Column, dateColumns, nameColumn } from '../machinery/columns.ts'
import { goTimeProblem } from '../machinery/go-time.ts'
import { findInPath } from '../machinery/json-path/find-in-path.ts'
import { parsePath } from '../machinery/json-path/parse-path.ts'
import { PathProblem, type PathStep } from '../machinery/json-path/path-step.ts'
import { goText } from '../machinery/patch/go-text.ts'
import { isRawNumber, plainNumber } from '../machinery/patch/raw-number.ts'
import type { ApiObject } from '../meta/object.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
} from './custom-resource-definition.ts'

/**
 * The columns of the tables of a version: the name, and what the definition says or else the age. A path that cannot be
 * read ends them, for a definition may be stored that a newer server would read.
 */
export function printerColumns({
  additionalPrinterColumns = [],
}: Pick<CustomResourceDefinitionVersion, 'additionalPrinterColumns'>): readonly Column[] {
  if (additionalPrinterColumns.length === 0) return dateColumns
  const columns = [nameColumn]
  for (const each of additionalPrinterColumns) {
    const path = readPath(each.jsonPath)
    if (!path) break
    columns.push(columnOf(each, path))
  }
  return columns
}

function readPath(jsonPath: string): readonly PathStep[] | undefined {
  try {
    return parsePath(jsonPath)
  } catch (error) {
    if (error instanceof PathProblem) return undefined
    throw error
  }
}

function columnOf(definition: CustomResourceColumnDefinition, path: readonly PathStep[]): Column {
  const { name, format, jsonPath, description, priority } = definition
  const type = definition.type as Column['type']
  return {
    name,
    type,
    ...(format === undefined ? {} : { format }),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority === undefined ? {} : { priority }),
    cell: (object, nowMs) => {
      const found = valueAt(object, path)
      return found === undefined ? null : cells[type](found, nowMs)
    },
  }
}

/** The first value that the path leads to; undefined if there is none, or there can be none. */
function valueAt(object: ApiObject, path: readonly PathStep[]): unknown {
  try {
    return findInPath([object], path)[0]
  } catch (error) {
    if (error instanceof PathProblem) return undefined
    throw error
  }
}

/** A value of the wrong type is not shown, except in a string column, which accepts every value. */
const cells: Readonly<Record<Column['type'], (value: unknown, nowMs: number) => Cell>> = {
  string: (value) => (value === null ? '<no value>' : goText(value)),
  integer: (value) => {
    const number = numberOf(value)
    return typeof number === 'number' ? Math.trunc(number) : number
  },
  number: (value) => {
    const number = numberOf(value)
    return isRawNumber(number) ? Number(number.rawJSON) : number
  },
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, nowMs) => {
    if (typeof value !== 'string') return null
    if (value === '' || value === 'null') return '<unknown>'
    return goTimeProblem(value, false) === undefined ? ageOf(value, nowMs) : '<invalid>'
  },
}

function numberOf(value: unknown): ReturnType<typeof plainNumber> | null {
  if (isRawNumber(value)) return plainNumber(value)
  return typeof value === 'number' ? value : null
}
