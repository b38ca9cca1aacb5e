import { quantity } from '../machinery/field-schemas.ts'
import { parseQuantity, type Quantity } from '../machinery/quantity.ts'
import { milliQuantityText } from '../machinery/quantity-text.ts'
import type { Schema } from '../machinery/schema.ts'

/** How much of what: quantities by the names of resources. */
export type ResourceList = Record<string, string>

export function resourceListSchema(description: string): Schema {
  return { type: 'object', nullable: true, additionalProperties: quantity, description }
}

/** Rounds to thousandths, the finest unit. In place. */
export function roundResourceList(list: ResourceList | undefined): void {
  if (!list) return
  for (const [name, amount] of Object.entries(list)) list[name] = milliQuantityText(amount)
}

/** Parses an amount of a decoded object, which is a valid quantity. Anything else in the store counts as zero. */
export function amountOf(text: string): Quantity {
  const parsed = parseQuantity(text)
  return parsed.problem === undefined ? parsed.quantity : none
}

const none: Quantity = { isNegative: false, digits: '', exponent: 0, format: 'DecimalSI' }
