import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { GroupResource } from '@strata/api'
import type { MigrationResult } from '@strata/controllers'
import { AsyncQueue } from '@strata/world'
import type { Access } from './serve-process.ts'

export interface MigratorTask {
  readonly servers: readonly Access[]
  readonly resource: GroupResource
  readonly nextToData: boolean
  readonly pageSize: number
  /** The file of its progress. */
  readonly stateFile: string
  /** Before these pages, counted by this process, it waits for a message to go on. */
  readonly holdAt?: readonly number[]
}

export type MigratorDone = { readonly kind: 'done' } & Pick<
  MigrationResult,
  'outcome' | 'proof' | 'because' | 'progress'
>
export type MigratorMessage = { readonly kind: 'held' } | MigratorDone

/** A migrator that runs elsewhere: see `migrator-program.ts`. */
export class MigratorProcess {
  readonly #child: ChildProcess
  readonly #done = Promise.withResolvers<MigratorDone>()
  readonly #held = new AsyncQueue<'held'>({ limit: 100 })
  readonly #exited: Promise<unknown>

  constructor(task: MigratorTask) {
    const program = join(import.meta.dirname, 'migrator-program.ts')
    this.#child = fork(program, [JSON.stringify(task)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const kill = (): boolean => this.#child.kill('SIGKILL')
    process.once('exit', kill)
    this.#exited = once(this.#child, 'exit').then(([code, signal]) => {
      process.off('exit', kill)
      const error = new Error(`the migrator ended with ${signal ?? `code ${code}`}`)
      this.#done.reject(error)
      this.#held.fail(error)
    })
    this.#done.promise.catch(() => {})
    this.#child.on('message', (message: MigratorMessage) => {
      if (message.kind === 'done') this.#done.resolve(message)
      else this.#held.push('held')
    })
  }

  /** Resolves when it waits once more. */
  async held(): Promise<void> {
    await this.#held.next()
  }

  get done(): Promise<MigratorDone> {
    return this.#done.promise
  }

  goOn(): void {
    this.#child.send('go on')
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }
}
