import type { GroupResource } from '@strata/api'
import { sleep, type World } from '@strata/world'
import type { EncryptionConfiguration } from './configuration.ts'
import { warnAboutReaders } from './file-readers.ts'
import { configurationHash, readConfigurationFile, understandConfiguration } from './read-configuration.ts'
import { askAboutNames, warnAboutNames } from './unmatched-names.ts'

/** Polled, not watched by the kernel: that also detects a file replaced through links, on every file system. */
const pollMs = 1_000

/** The state of reloads, for operators, metrics and health checks. */
export interface ReloadStatus {
  readonly hash: string
  readonly succeeded: number
  readonly failed: number
  readonly lastSuccessMs: number | undefined
  readonly lastFailureMs: number | undefined
  /** Why the current file is not in force; undefined if it is. */
  readonly problem: string | undefined
}

/** Loads the configuration file whenever it changes. An unusable file changes nothing. */
export class ConfigurationWatch {
  readonly #file: string
  readonly #world: World
  readonly #isPlain: (resource: GroupResource) => boolean
  readonly #known: readonly GroupResource[]
  #status: ReloadStatus
  /** The hash and problem of a refused file: it is retried, because the obstacle may be gone, but logged once. */
  #refused: string | undefined
  /** A file that could not be parsed a moment ago: it may still be being written. */
  #unsettled: string | undefined

  constructor(
    file: string,
    hash: string,
    parts: {
      readonly world: World
      readonly isPlain: (resource: GroupResource) => boolean
      /** The served resources, except for custom resources. */
      readonly known: readonly GroupResource[]
    },
  ) {
    this.#file = file
    this.#world = parts.world
    this.#isPlain = parts.isPlain
    this.#known = parts.known
    this.#status = {
      ...{ hash, succeeded: 0, failed: 0, problem: undefined },
      ...{ lastSuccessMs: undefined, lastFailureMs: undefined },
    }
  }

  get status(): ReloadStatus {
    return this.#status
  }

  /** Runs until the signal is aborted. `take` puts a configuration in force, or returns why it may not. */
  async run(
    take: (configuration: EncryptionConfiguration, signal: AbortSignal) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#world.clock, pollMs, signal).catch(() => {})
      if (!signal.aborted) await this.#look(take, signal)
    }
  }

  async #look(
    take: (configuration: EncryptionConfiguration, signal: AbortSignal) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    let hash = 'unread'
    let problem: string | undefined
    let taken: EncryptionConfiguration | undefined
    try {
      const bytes = await readConfigurationFile(this.#file)
      hash = configurationHash(bytes)
      if (hash === this.#status.hash) {
        // The file is as before: the problem in between is gone.
        if (this.#status.problem !== undefined)
          this.#world.log.info('the encryption configuration file matches the active configuration again', {
            file: this.#file,
            hash,
          })
        this.#refused = undefined
        this.#status = { ...this.#status, problem: undefined }
        return
      }
      const isSettled = this.#unsettled === hash
      this.#unsettled = hash
      const read = await understandConfiguration(bytes, this.#isPlain).catch((error: unknown) => {
        if (isSettled) throw error
      })
      if (!read) return
      taken = read.configuration
      problem = await take(taken, signal)
      if (problem !== undefined) problem += askAboutNames(taken, this.#known)
    } catch (error) {
      if (signal.aborted) return
      problem = error instanceof Error ? error.message : String(error)
    }
    const nowMs = this.#world.clock.wallMs()
    const { log } = this.#world
    if (problem === undefined) {
      const succeeded = this.#status.succeeded + 1
      this.#refused = undefined
      this.#status = { ...this.#status, hash, succeeded, lastSuccessMs: nowMs, problem }
      log.info('loaded a new encryption configuration', { file: this.#file, hash })
      if (taken) {
        warnAboutNames(taken, this.#known, { file: this.#file, log })
        await warnAboutReaders(taken, { file: this.#file, log })
      }
      return
    }
    const isReported = this.#refused === `${hash} ${problem}`
    this.#refused = `${hash} ${problem}`
    const failed = this.#status.failed + (isReported ? 0 : 1)
    this.#status = { ...this.#status, failed, lastFailureMs: nowMs, problem }
    if (isReported) return
    log.error('the new encryption configuration was rejected; the previous one stays active', {
      file: this.#file,
      problem,
    })
  }
}
