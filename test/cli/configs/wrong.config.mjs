// A case type is made by defineCase; this is only an object that looks a little like one.
export default { cases: [{ name: "purchase" }] };
