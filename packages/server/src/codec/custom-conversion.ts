import type { ApiObject } from '@strata/api'
import { ConvertedTails } from './converted-tails.ts'
import type { Converter } from './converter.ts'
import type { CustomVersions, EncodingVersion } from './custom-versions.ts'
import { parseObject } from './json.ts'
import { RememberedAnswers } from './remembered-answers.ts'
import { encodeObject, storedVersionOf } from './stored-bytes.ts'

/** Custom resources in other versions than they are stored in. */
export class CustomConversion {
  readonly #versions: CustomVersions
  readonly #converter: Converter
  readonly #answers: RememberedAnswers
  readonly #converted = new ConvertedTails()

  constructor(versions: CustomVersions, converter: Converter) {
    this.#versions = versions
    this.#converter = converter
    this.#answers = new RememberedAnswers(converter)
  }

  decodeIn(stored: Uint8Array, apiVersion: string): ApiObject {
    const kept = this.#converted.get(stored, apiVersion)
    const version = this.#versions.of(apiVersion)
    if (kept) return parseObject(Buffer.concat([version.head, kept])) as ApiObject
    const object = this.#versions.read(stored)
    if (object.apiVersion === apiVersion) return object
    // The object was decoded a moment ago, and has no other owner.
    return settle(this.#converter.renames ? object : this.#convertNow(object, apiVersion), version)
  }

  /** Decoded, defaulted, pruned and converted once, and kept with the stored bytes. */
  tail(stored: Uint8Array, apiVersion: string): Uint8Array {
    return (
      this.#converted.get(stored, apiVersion) ??
      this.#keep(stored, this.decodeIn(stored, apiVersion), this.#versions.of(apiVersion))
    )
  }

  encode(object: ApiObject, apiVersion: string): Uint8Array {
    const version = this.#versions.of(apiVersion)
    if (object.apiVersion === apiVersion) return encodeObject(object, version, true)
    const converted = this.#convertNow(object, apiVersion)
    // A converted object keeps only the fields that the stored version knows, as upstream: a field that another version
    // renames without conversion is lost here. The schema of that version has not defaulted it, so it is not served as it is.
    version.structural.prune(converted)
    return encodeObject(converted, version, false)
  }

  toWire(object: ApiObject, apiVersion: string): ApiObject {
    const version = this.#versions.of(apiVersion)
    return object.apiVersion === apiVersion ? object : settle(this.#convertNow(object, apiVersion), version)
  }

  /** Requests all needed conversions in one call, which a converter may split. */
  ready(values: readonly Uint8Array[], apiVersion: string): Promise<void> | undefined {
    if (!this.#converter.needsWebhook) return undefined
    const isOpen = (value: Uint8Array): boolean =>
      !this.#converted.get(value, apiVersion) && storedVersionOf(this.#versions.all, value) !== apiVersion
    try {
      const open = values.filter(isOpen)
      return open.length === 0 ? undefined : this.#ask(open, apiVersion)
    } catch (error) {
      // The waiting request gets the error, not the code that delivers changes to all watchers.
      return Promise.reject(error)
    }
  }

  async #ask(values: readonly Uint8Array[], apiVersion: string): Promise<void> {
    const version = this.#versions.of(apiVersion)
    const found = await this.#converter.convert(
      values.map((value) => this.#versions.read(value)),
      apiVersion,
    )
    for (const [index, value] of values.entries()) {
      const answer = found[index]
      if (answer) this.#keep(value, settle(answer, version), version)
    }
  }

  #keep(stored: Uint8Array, object: ApiObject, version: EncodingVersion): Uint8Array {
    const tail = encodeObject(object, version, true).subarray(version.head.length)
    return this.#converted.keep(stored, version.apiVersion, tail)
  }

  /** Converts without a webhook, or by a remembered answer of the webhook. */
  #convertNow(object: ApiObject, apiVersion: string): ApiObject {
    if (!this.#converter.needsWebhook) {
      const [only] = this.#converter.convert([object], apiVersion) as readonly ApiObject[]
      if (only) return only
    }
    return this.#answers.of(object, apiVersion)
  }
}

/** A converted object keeps only the fields that its new version knows. The defaults of that version apply only on writes. */
function settle(object: ApiObject, { structural, apiVersion, kind }: EncodingVersion): ApiObject {
  object.apiVersion = apiVersion
  object.kind = kind
  structural.prune(object)
  return object
}
