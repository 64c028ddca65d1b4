/** IRIs that this layer itself needs. */
export const RDF_NAMESPACE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
export const XSD_NAMESPACE = "http://www.w3.org/2001/XMLSchema#";
export const XSD_STRING = `${XSD_NAMESPACE}string`;
export const XSD_INTEGER = `${XSD_NAMESPACE}integer`;
export const XSD_DECIMAL = `${XSD_NAMESPACE}decimal`;
export const XSD_DOUBLE = `${XSD_NAMESPACE}double`;
export const XSD_BOOLEAN = `${XSD_NAMESPACE}boolean`;
export const RDF_LANG_STRING = `${RDF_NAMESPACE}langString`;
export const RDF_DIR_LANG_STRING = `${RDF_NAMESPACE}dirLangString`;
export const RDF_TYPE = `${RDF_NAMESPACE}type`;
