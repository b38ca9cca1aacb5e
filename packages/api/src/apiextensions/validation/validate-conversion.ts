import { caBundleProblem } from '../../machinery/ca-bundle.ts'
import {
  type FieldError,
  fieldForbidden,
  invalid,
  notSupported,
  required,
} from '../../machinery/field-error.ts'
import { dns1035Label } from '../../machinery/name-rules.ts'
import { validateWebhookClientConfig } from '../../machinery/webhook-client-config.ts'
import type { CustomResourceConversion } from '../custom-resource-definition.ts'

const strategies = ['None', 'Webhook']
const knownReviews = ['v1', 'v1beta1']

export interface ConversionOptions {
  /** One of the versions of ConversionReview must be known. */
  readonly requireKnownReview: boolean
  readonly allowInvalidCaBundle: boolean
}

/** Whether no review version is named, or at least one that is known. */
export function hasKnownReview(conversion: CustomResourceConversion | undefined): boolean {
  const reviews = conversion?.webhook?.conversionReviewVersions ?? []
  return reviews.length === 0 || reviews.some((each) => knownReviews.includes(each))
}

export function hasInvalidCaBundle(conversion: CustomResourceConversion | undefined): boolean {
  const caBundle = conversion?.webhook?.clientConfig?.caBundle ?? ''
  return caBundleProblem(caBundle) !== undefined
}

export function validateConversion(
  { strategy, webhook }: CustomResourceConversion,
  path: string,
  { requireKnownReview, allowInvalidCaBundle }: ConversionOptions,
): FieldError[] {
  const errors: FieldError[] = []
  if (strategy === '') errors.push(required(`${path}.strategy`))
  else if (!strategies.includes(strategy)) errors.push(notSupported(`${path}.strategy`, strategy, strategies))
  const configPath = `${path}.webhookClientConfig`
  const reviewsPath = `${path}.conversionReviewVersions`
  const config = webhook?.clientConfig
  const reviews = webhook?.conversionReviewVersions ?? []
  if (strategy !== 'Webhook') {
    const why = 'should not be set when strategy is not set to Webhook'
    if (config) errors.push(fieldForbidden(configPath, why))
    if (reviews.length > 0) errors.push(fieldForbidden(reviewsPath, why))
    return errors
  }
  if (!config) errors.push(required(configPath, 'required when strategy is set to Webhook'))
  else {
    errors.push(...validateWebhookClientConfig(config, configPath, { isAdmission: true }))
    const problem = allowInvalidCaBundle ? undefined : caBundleProblem(config.caBundle ?? '')
    if (problem !== undefined) errors.push(invalid(`${configPath}.caBundle`, config.caBundle, problem))
  }
  errors.push(...validateReviews(reviews, reviewsPath, requireKnownReview))
  return errors
}

function validateReviews(reviews: readonly string[], path: string, requireKnown: boolean): FieldError[] {
  if (reviews.length === 0) return [required(path)]
  const errors = reviews.flatMap((each, index) =>
    reviews.indexOf(each) < index
      ? [invalid(`${path}[${index}]`, each, 'duplicate version')]
      : dns1035Label(each).map((problem) => invalid(`${path}[${index}]`, each, problem)),
  )
  if (requireKnown && !reviews.some((each) => knownReviews.includes(each))) {
    errors.push(invalid(path, reviews, `must include at least one of ${knownReviews.join(', ')}`))
  }
  return errors
}
