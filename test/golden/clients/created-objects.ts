import { isJsonObject } from '@strata/api'

interface Place {
  /** Group and resource: `apps/deployments`, `/secrets`. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Objects that a replayed run has created and not deleted: later lists must contain them if the recorded ones do. */
export class CreatedObjects {
  readonly #created = new Map<string, Place>()

  /** After a request that was answered alike on both servers; a name that the server chose is another one there. */
  note(method: string, path: string, status: number, recorded: unknown, live: unknown): void {
    if (status === 201) {
      const made = placeOf(path, live)
      if (made && nameIn(recorded) === nameIn(live)) this.#created.set(keyOf(made), made)
    } else if (method === 'DELETE' && status === 200) this.#forget(path)
  }

  /** Whether an item of what was read at a path is one of them. */
  includes(path: string, item: unknown): boolean {
    const place = placeOf(path, isJsonObject(item) && isJsonObject(item['object']) ? item['object'] : item)
    return place !== undefined && this.#created.has(keyOf(place))
  }

  /** One object, or a whole collection, or a namespace with everything in it. */
  #forget(path: string): void {
    const { resource, namespace, name } = parse(path)
    for (const [key, each] of this.#created) {
      const isOne = each.resource === resource && (name === '' || each.name === name)
      const isThere = namespace === '' || each.namespace === namespace
      const isInside = resource === '/namespaces' && each.namespace === name
      if ((isOne && isThere) || isInside) this.#created.delete(key)
    }
  }
}

const keyOf = ({ resource, namespace, name }: Place): string => `${resource} ${namespace}/${name}`

const metadataOf = (object: unknown): Readonly<Record<string, unknown>> => {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined
  return isJsonObject(metadata) ? metadata : {}
}

const nameIn = (object: unknown): unknown => metadataOf(object)['name']

function placeOf(path: string, object: unknown): Place | undefined {
  const { name, namespace = parse(path).namespace } = metadataOf(object)
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined
  return { resource: parse(path).resource, namespace, name }
}

function parse(path: string): Place {
  const [, root, ...rest] = (path.split('?')[0] ?? '').split('/')
  const group = root === 'apis' ? rest.shift() : ''
  rest.shift()
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2
  const namespace = isInNamespace ? (rest[1] ?? '') : ''
  const [resource = '', name = ''] = isInNamespace ? rest.slice(2) : rest
  return { resource: `${group}/${resource}`, namespace, name }
}
