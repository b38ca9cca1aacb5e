import { isJsonObject } from '@strata/api'
import { type FormProblem, type RehearsalForm, readRehearsal } from '@strata/rehearsal/form'
import { LineCounter, parseDocument } from 'yaml'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

export interface ReadForm {
  readonly form: RehearsalForm
  /** The line of a field such as `steps[2].late`; of the nearest field above it, if it is missing. */
  lineOf(field: string): number
}

/** Reads the text of a rehearsal, in YAML or JSON. Errors name the file, the line and the field. */
export function readForm(text: string, file: string): ReadForm {
  const { value, lineOf } = parse(text, file)
  if (isCrd(value))
    throw new CliError(
      `${file}: this is a CRD; --init makes a rehearsal of it and that of another release: strata rehearse --init OLD NEW`,
      exitCodes.usage,
    )
  const read = readRehearsal(value)
  if ('problems' in read) throw new CliError(problemText(file, read.problems, lineOf), exitCodes.usage)
  return { form: read.form, lineOf }
}

const isCrd = (value: unknown): boolean => isJsonObject(value) && value['kind'] === 'CustomResourceDefinition'

export const problemText = (
  file: string,
  problems: readonly FormProblem[],
  lineOf: ReadForm['lineOf'],
): string =>
  problems
    .map(({ field, message }) => `${file}:${lineOf(field)}: ${field === '' ? '' : `${field}: `}${message}`)
    .join('\n')

function parse(text: string, file: string) {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter })
  const [error] = document.errors
  if (error)
    throw new CliError(`${file}: cannot read it as YAML: ${error.message}`, exitCodes.usage, { cause: error })
  const lineOf = (field: string): number => {
    // The nearest place that exists: a missing field has none.
    for (let path = partsOf(field); path.length > 0; path = path.slice(0, -1)) {
      const node = document.getIn(path, true) as { readonly range?: readonly number[] } | undefined
      if (node?.range) return counter.linePos(node.range[0] ?? 0).line
    }
    return 1
  }
  return { value: document.toJS() as unknown, lineOf }
}

const partsOf = (field: string): (string | number)[] =>
  [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  )
