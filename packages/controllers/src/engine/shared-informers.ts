import type { ApiObject, ResourceDefinition } from '@strata/api'
import { type Client, createInformer, type Informer, type InformerOptions } from '@strata/client'
import type { World } from '@strata/world'
import { runTogether } from './run-together.ts'

/** One informer per resource, shared by all controllers. */
export class SharedInformers {
  readonly #client: Client
  readonly #world: World
  readonly #informers = new Map<string, Informer<ApiObject>>()

  constructor(client: Client, world: World) {
    this.#client = client
    this.#world = world
  }

  /** Call it before `run`. */
  of<T extends ApiObject>(
    definition: ResourceDefinition<T>,
    versionName: string,
    { namespace, fieldSelector }: Pick<InformerOptions<T>, 'namespace' | 'fieldSelector'> = {},
  ): Informer<T> {
    const place = [definition.group, versionName, definition.resource, namespace ?? '']
    const key = `${place.join('/')}?${fieldSelector ?? ''}`
    const existing = this.#informers.get(key)
    if (existing) return existing as unknown as Informer<T>
    const informer = createInformer(this.#client.resource<T>(definition, versionName), {
      world: this.#world,
      namespace,
      fieldSelector,
    })
    this.#informers.set(key, informer as unknown as Informer<ApiObject>)
    return informer
  }

  run(signal: AbortSignal): Promise<void> {
    return runTogether(
      [...this.#informers.values()].map((informer) => (each: AbortSignal) => informer.run(each)),
      signal,
    )
  }
}
