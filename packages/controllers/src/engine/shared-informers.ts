import type { ApiObject, ResourceDefinition } from '@strata/api'
import { type Client, createInformer, type Informer } from '@strata/client'
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
    { namespace, fieldSelector }: { readonly namespace?: string; readonly fieldSelector?: string } = {},
  ): Informer<T> {
    const place = [definition.group, versionName, definition.resource, namespace ?? '']
    const key = `${place.join('/')}?${fieldSelector ?? ''}`
    const existing = this.#informers.get(key)
    if (existing) return existing as unknown as Informer<T>
    const where = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    }
    const informer = createInformer(this.#client.resource<T>(definition, versionName), {
      world: this.#world,
      ...where,
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
