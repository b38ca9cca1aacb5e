import {
  type ApiObject,
  compileStructuralSchema,
  type FieldError,
  type StructuralSchema,
  type VersionDefinition,
  validateSchema,
} from '@strata/api'

/** One version of a kind that a program defines, with its whole schema, compiled when it is first needed. */
export class WholeSchema {
  readonly #version: VersionDefinition<ApiObject, ApiObject>
  #compiled: StructuralSchema | undefined

  constructor(version: VersionDefinition<ApiObject, ApiObject>) {
    this.#version = version
  }

  /** The errors of a client's object, before any code of the kind sees it. */
  ofClient(object: ApiObject): readonly FieldError[] {
    const errors = validateSchema(object, this.#version.schema)
    if (errors.length === 0) return errors
    // All that is wrong, in upstream's words and order, also what does not keep a conversion from running.
    const all = this.#schema.validate(object)
    return all.length > 0 ? all : errors
  }

  /** The errors of an object that is about to be stored. What was wrong in `stored` and is unchanged is tolerated. */
  ofStored(hub: ApiObject, stored: ApiObject | undefined, ofStatus: boolean): readonly FieldError[] {
    const { fromHub } = this.#version
    const wire = fromHub(hub)
    if (!stored) return this.#schema.validate(wire)
    const before = fromHub(stored)
    return ofStatus
      ? this.#schema.validateStatusUpdate(wire, before)
      : this.#schema.validateUpdate(wire, before)
  }

  get #schema(): StructuralSchema {
    this.#compiled ??= compileStructuralSchema(this.#version.schema)
    return this.#compiled
  }
}
