export {
  createOpenApi,
  documentUrl,
  type OpenApi,
  type OpenApiDocument,
  type SwaggerForm,
} from './openapi.ts'
