# SPDX-License-Identifier: GPL-2.0 OR MIT
#
# Reads the two headers and then a description of the ioctls for syzkaller, and writes a program
# in C that compiles if the description agrees with the headers: see check.sh.  What the compiler
# could not say is written to stderr, and the status is 1.

function bad(text)
{
	printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
	failed = 1
}

function is_name(text)
{
	return text ~ /^[a-z_][A-Za-z0-9_]*(\$[A-Za-z0-9_]+)?$/
}

# The structure of the headers that this name stands for.
function in_c(name)
{
	sub(/\$.*/, "", name)
	return name
}

# Members of members: header_size is header.size.
function member(field)
{
	if (field !~ /^(header|base)_/)
		return field
	sub(/_/, ".", field)
	return field
}

# Splits "a, b[c, d], e" into part[], at commas that are in no brackets.  Returns how many.
function split_options(text, part,   i, c, depth, n)
{
	n = 1
	part[1] = ""
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == "[")
			depth++
		if (c == "]")
			depth--
		if (c == "," && !depth) {
			part[++n] = ""
			i++
		} else {
			part[n] = part[n] c
		}
	}
	return depth ? 0 : n
}

# Bytes of a number; 0: none has that name.
function number_size(type)
{
	if (type == "int8")
		return 1
	if (type == "int16")
		return 2
	if (type == "int32")
		return 4
	return type == "int64" ? 8 : 0
}

# Bytes of a field; 0: not known.  Sets struct_field if it is a structure.
function size_of(type,   name, options, n, part)
{
	struct_field = 0
	name = type
	options = ""
	if (match(type, /\[/)) {
		if (substr(type, length(type)) != "]")
			return 0
		name = substr(type, 1, RSTART - 1)
		options = substr(type, RSTART + 1, length(type) - RSTART - 1)
	}
	n = options == "" ? 0 : split_options(options, part)
	if (number_size(name)) {
		if (options != "" && options !~ /^[0-9]+:[A-Z0-9_]+(, [0-9]+)?$/)
			return 0
		return number_size(name)
	}
	if (name == "flags" && n == 2)
		used[part[1]] = FNR
	if (name == "const" && part[1] !~ /^([0-9]+|[A-Z][A-Z0-9_]*)$/)
		return 0
	if (name == "len" || name == "bytesize")
		targets[part[1]] = FNR
	if (name ~ /^(const|flags|len|bytesize)$/)
		return n == 2 ? number_size(part[2]) : 0
	if (name == "ptr64") {
		if (part[1] !~ /^(in|out|inout|DIRECTION)$/ || n < 2 || n > 3 || (n == 3 && part[3] != "opt"))
			return 0
		use_type(part[2])
		return 8
	}
	if (name in resource)
		return options == "" ? resource[name] : 0
	use_type(type)
	struct_field = 1
	# a member of a structure that is only known to be as the header has it
	return in_c(name) in c_struct ? -1 : 0
}

# A structure, union or template, or an array of one.
function use_type(type,   name, n, part, options)
{
	name = type
	sub(/\[.*/, "", name)
	if (name == type) {
		if (type !~ /^[A-Z]+$/)
			used[name] = FNR
		return
	}
	options = substr(type, length(name) + 2, length(type) - length(name) - 2)
	n = split_options(options, part)
	if (name == "array") {
		if (n != 1)
			bad("an array of what?")
		use_type(part[1])
		return
	}
	used[name] = FNR
	parameters[FNR] = n
	user[FNR] = name
	# the last two are an element and its stride, the first of three something else
	if (n >= 2 && name ~ /^drm_quire_(array|query)$/ && part[n - 1] !~ /^[A-Z]+$/) {
		use_type(part[n - 1])
		printf "_Static_assert(sizeof(struct %s) == %s, \"line %d: stride\");\n",
			in_c(part[n - 1]), part[n], FNR
	}
}

function constants(text,   name)
{
	while (match(text, /(DRM_IOCTL_|DRM_)?QUIRE_[A-Z0-9_]+/)) {
		name = substr(text, RSTART, RLENGTH)
		# a part of a name of a call
		if (RSTART == 1 || substr(text, RSTART - 1, 1) !~ /[$A-Z0-9_]/) {
			if (!(name in seen))
				printf "static const unsigned long long c_%s = (unsigned long long)%s;\n", name, name
			seen[name] = FNR
		}
		text = substr(text, RSTART + RLENGTH)
	}
}

function define(name, what)
{
	if (!is_name(name))
		bad("\"" name "\" is no name")
	if (name in defined)
		bad(name " is there twice")
	defined[name] = FNR
	if (what ~ /^struct/ && !(in_c(name) in c_struct))
		bad("no header has a struct " in_c(name))
	described[in_c(name)] = 1
}

function field(line,   name, type, size, attribute)
{
	if (line !~ /^\t[a-z_0-9]+[\t ]+[a-z]/) {
		bad("no field: " line)
		return
	}
	sub(/^\t/, "", line)
	attribute = ""
	if (match(line, /[\t ]+\((in|out|inout)\)$/)) {
		attribute = substr(line, RSTART)
		line = substr(line, 1, RSTART - 1)
	}
	name = line
	sub(/[\t ].*/, "", name)
	type = line
	sub(/^[^\t ]+[\t ]+/, "", type)
	if (type ~ /[\t(){}]/ || type ~ /  / || type ~ /[^,] /) {
		bad("no type: " type)
		return
	}
	if (block == "union") {
		use_type(type)
		return
	}
	fields[name] = FNR
	size = size_of(type)
	if (!size) {
		bad("a type without a size: " type)
		return
	}
	if (size < 0)
		printf "_Static_assert(__builtin_types_compatible_p(__typeof__(((struct %s *)0)->%s), struct %s), \"line %d: %s\");\n",
			in_c(block_name), member(name), in_c(plain(type)), FNR, name
	else
		printf "_Static_assert(sizeof(((struct %s *)0)->%s) == %d, \"line %d: size of %s\");\n",
			in_c(block_name), member(name), size, FNR, name
	printf "_Static_assert(offsetof(struct %s, %s) == %s, \"line %d: offset of %s\");\n",
		in_c(block_name), member(name), offset, FNR, name
	offset = offset " + sizeof(((struct " in_c(block_name) " *)0)->" member(name) ")"
}

function plain(type)
{
	sub(/\[.*/, "", type)
	return type
}

function block_end(line,   name)
{
	if (block == "union" ? line != "] [varlen]" : line != "}")
		bad("no end of a " block ": " line)
	if (block != "union")
		printf "_Static_assert(sizeof(struct %s) == %s, \"line %d: size of %s\");\n",
			in_c(block_name), offset, FNR, block_name
	for (name in targets)
		if (name != "parent" && !(name in fields))
			bad("the length of " name ", which is no field")
	block = ""
}

# "name[A, B]" of a template; sets how many parameters it has.
function begin_template(line,   name, options, part)
{
	sub(/^type /, "", line)
	sub(/ \{$/, "", line)
	name = plain(line)
	options = substr(line, length(name) + 2, length(line) - length(name) - 2)
	define(name, "struct")
	template[name] = split_options(options, part)
	begin("struct", name)
}

function begin(what, name)
{
	block = what
	block_name = name
	offset = "0"
	split("", fields)
	split("", targets)
}

# ioctl$COMMAND_VARIANT(fd fd_quire, cmd const[COMMAND], arg ptr[DIRECTION, STRUCTURE])
function call(line,   name, command, direction, type, n, part)
{
	if (line !~ /^ioctl\$DRM_IOCTL_QUIRE_[A-Z_]+\(fd fd_quire, cmd const\[DRM_IOCTL_QUIRE_[A-Z_]+\], arg ptr\[(in|inout), .*\]\)$/) {
		bad("no ioctl: " line)
		return
	}
	name = line
	sub(/^ioctl\$/, "", name)
	sub(/\(.*/, "", name)
	command = line
	sub(/^.*cmd const\[/, "", command)
	sub(/\].*/, "", command)
	type = line
	sub(/^.*, arg ptr\[/, "", type)
	sub(/\]\)$/, "", type)
	direction = type
	sub(/,.*/, "", direction)
	sub(/^[a-z]+, /, "", type)
	if (name in calls)
		bad(name " is there twice")
	calls[name] = 1
	if (index(name, command) != 1)
		bad(name " calls " command)
	use_type(type)
	if (!(command in c_ioctl))
		bad("no header has an ioctl " command)
	else if (c_ioctl[command] != in_c(plain(type)))
		bad(command " has a struct " c_ioctl[command] ", not " in_c(plain(type)))
	if (c_reads[command] != (direction == "inout"))
		bad(command " is not " direction)
	called[command] = 1
}

function flag_set(line,   n, i, part)
{
	define(plain_word(line), "flags")
	sub(/^[^=]*= /, "", line)
	n = split(line, part, ", ")
	for (i = 1; i <= n; i++)
		if (part[i] !~ /^(DRM_)?QUIRE_[A-Z0-9_]+$/)
			bad("no constant: " part[i])
}

function plain_word(line)
{
	sub(/[^a-zA-Z0-9_$].*/, "", line)
	return line
}

# resource NAME[BASE]: VALUE
function new_resource(line,   name, base)
{
	if (line !~ /^resource [a-z_]+\[[a-z_0-9]+\](: [0-9]+)?$/) {
		bad("no resource: " line)
		return
	}
	sub(/^resource /, "", line)
	name = plain(line)
	base = line
	sub(/^[^[]*\[/, "", base)
	sub(/\].*/, "", base)
	define(name, "resource")
	if (number_size(base))
		resource[name] = number_size(base)
	else if (base in resource)
		resource[name] = resource[base]
	else
		bad("no resource " base)
}

BEGIN {
	# of dev_dri.txt and sys.txt
	resource["fd_dri"] = resource["drm_gem_handle"] = resource["drm_syncobj"] = 4
	print "#include <stddef.h>\n#include <sys/types.h>\n#include <quire_drm.h>"
	print "#include <quire/quire_command.h>"
}

# The headers: structures, what begins the value of an ioctl, and constants.
FILENAME != description && /^struct (drm_quire|quire_command)_[a-z0-9_]+ \{$/ { c_struct[$2] = 1 }
FILENAME != description && /^enum drm_quire_ioctl_id/ { numbers = 1 }
FILENAME != description && /^\}/ { numbers = 0 }
FILENAME != description && /^\t(DRM_)?QUIRE_[A-Z0-9_]+([ \t]*=.*)?,/ {
	name = $1
	sub(/,.*/, "", name)
	if (!numbers && (name ~ /^DRM_/ || name ~ /^QUIRE_COMMAND_/))
		c_constant[name] = 1
}
# Limits and what the bytes of the device are aligned to are no values of fields.
FILENAME != description && /^#define (DRM_QUIRE|QUIRE_(ARITHMETIC|WAIT|REGISTER))_[A-Z0-9_]+[\t ]/ &&
	$2 !~ /_MAX_|^DRM_QUIRE_VM_SIZE$/ { c_constant[$2] = 1 }
FILENAME != description && /^#define DRM_IOCTL_QUIRE_/ { ioctl = $2; next }
FILENAME != description && ioctl != "" {
	c_reads[ioctl] = /DRM_IOWR\(/
	sub(/^.*struct /, "")
	sub(/\).*/, "")
	c_ioctl[ioctl] = $0
	ioctl = ""
}
FILENAME != description { next }

/^#/ || /^$/ { if (block != "" && /^$/) bad("an empty line in a " block); next }
{ constants($0) }
block != "" && /^[\]}]/ { block_end($0); next }
block != "" { field($0); next }
/^include <[a-z\/_]+\.h>$/ { next }
/^resource / { new_resource($0); next }
/^type .*\[.*\] \{$/ { begin_template($0); next }
/^[a-z_0-9$]+ \{$/ { define($1, "struct"); begin("struct", $1); next }
/^[a-z_0-9]+ \[$/ { define($1, "union"); begin("union", $1); next }
/^[a-z_0-9]+ = / { flag_set($0); next }
/^ioctl\$/ { call($0); next }
/^syz_open_dev\$quire\(.*\) fd_quire$/ { next }
/^read\$quire\(/ { used["drm_quire_event_budget"] = FNR; next }
/^mmap\$quire\(/ { next }
{ bad("neither a call nor a type: " $0) }

END {
	if (block != "")
		bad("the last " block " has no end")
	for (name in used)
		if (!(name in defined))
			bad(name " of line " used[name] " is defined nowhere")
	for (name in defined)
		if (!(name in used) && !(name in resource))
			bad(name " is used nowhere")
	for (line in user)
		if (template[user[line]] != parameters[line])
			bad("line " line ": " user[line] " has not " parameters[line] " parameters")
	for (name in c_struct)
		if (!(name in described))
			bad("struct " name " is missing")
	for (name in c_ioctl)
		if (!(name in called))
			bad("ioctl " name " is missing")
	for (name in c_constant)
		if (!(name in seen))
			bad("constant " name " is missing")
	exit failed
}
