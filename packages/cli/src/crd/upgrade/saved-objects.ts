import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ApiObject } from '@strata/api'
import { utf8 } from '@strata/world'
import { syncPath, writeWhole } from '../../stored/write-to-disk.ts'

/** Objects before they lose a field, one JSON document per line: `kubectl` reads the file. Created with the first object. */
export class SavedObjects {
  readonly #path: string
  #file: number | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** The file; undefined if nothing was saved. */
  get path(): string | undefined {
    return this.#file === undefined ? undefined : this.#path
  }

  save(object: ApiObject): void {
    if (this.#file === undefined) {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
      // Never over an older one: that may be the only copy of what is lost by now.
      this.#file = openSync(this.#path, 'wx', 0o600)
    }
    writeWhole(this.#file, utf8.encode(`${JSON.stringify(object)}\n`))
  }

  close(): void {
    if (this.#file === undefined) return
    // The next write may remove what only this file has then.
    fsyncSync(this.#file)
    closeSync(this.#file)
    syncPath(dirname(this.#path))
  }
}
