import { parseDocument } from 'yaml'
import { MalformedJson } from '../codec/index.ts'

/** YAML as clients of Kubernetes use it: JSON with another face. Loaded with the first YAML that is sent. */
export function parseYaml(text: string): Record<string, unknown> {
  const document = parseDocument(text, {
    version: '1.1',
    schema: 'core',
    uniqueKeys: true,
    intAsBigInt: false,
  })
  const [problem] = document.errors
  if (problem) {
    const line = problem.linePos?.[0].line ?? 1
    throw new MalformedJson(`yaml: line ${line}: ${problem.message.split('\n')[0]}`)
  }
  const value: unknown = document.toJS({ maxAliasCount: 100 })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedJson('yaml: expected an object')
  }
  return value as Record<string, unknown>
}
