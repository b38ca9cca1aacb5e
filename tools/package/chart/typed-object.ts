import * as models from '@kubernetes/client-node'

interface Attribute {
  readonly baseName: string
  readonly type: string
}
type Model = { readonly getAttributeTypeMap?: () => readonly Attribute[] }

/** What an object has that its type does not know, or in another form: `spec.replicas: not a number`. */
export function findTypeProblems(type: string, value: unknown, path = ''): readonly string[] {
  const problem = (what: string): readonly string[] => [`${path}: ${what}`]
  const [, item] = /^Array<(.+)>$/.exec(type) ?? []
  if (item !== undefined) {
    if (!Array.isArray(value)) return problem('not a list')
    return value.flatMap((each, index) => findTypeProblems(item, each, `${path}[${index}]`))
  }
  const [, entry] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? []
  if (entry !== undefined) {
    if (!isRecord(value)) return problem('not a map')
    return Object.entries(value).flatMap(([key, each]) => findTypeProblems(entry, each, `${path}.${key}`))
  }
  if (type === 'IntOrString')
    return Number.isInteger(value) || typeof value === 'string' ? [] : problem('neither')
  if (type === 'any') return []
  const model = (models as unknown as Readonly<Record<string, Model>>)[type]
  if (model?.getAttributeTypeMap === undefined) return typeof value === type ? [] : problem(`not a ${type}`)
  if (!isRecord(value)) return problem(`not a ${type}`)
  const known = new Map(model.getAttributeTypeMap().map((each) => [each.baseName, each.type]))
  return Object.entries(value).flatMap(([key, each]) => {
    const below = known.get(key)
    const where = path === '' ? key : `${path}.${key}`
    return below === undefined
      ? [`${where}: ${type} has no such field`]
      : findTypeProblems(below, each, where)
  })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
