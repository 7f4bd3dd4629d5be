# Makes ROOT, an empty folder, the root of this mount namespace; what was there before is gone.
# sh walls.sh ROOT { code FOLDER | show PATH | hide PATH | copy FOLDER }...
set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
here=$(pwd -P)
root=$1
shift

# A path as it is here, a link as what it leads to; nothing where nothing is.
show() {
	if [ -d "$1" ]; then
		mkdir -p "$root$1"
	elif [ -e "$1" ]; then
		mkdir -p "$root$(dirname "$1")"
		[ -e "$root$1" ] || : >"$root$1"
	else
		return 0
	fi
	mount -o rbind "$1" "$root$1"
}

# Modules and packages of a folder that holds other things too. Nothing is written over.
code() {
	mkdir -p "$root$1"
	cp -np -- "$1"/*.py "$root$1" 2>/dev/null || :
	for one in "$1"/*.so "$1"/*-info "$1"/*/__init__.py; do
		show "${one%/__init__.py}"
	done
}

# Before anything is shown: so no link shows it either.
hide() {
	if [ -d "$1" ]; then
		mount -t tmpfs tmpfs "$1"
	elif [ -e "$1" ]; then
		mount -o bind /dev/null "$1"
	fi
}

# A folder that may be written: what is written ends with this namespace.
copy() {
	mount -t tmpfs tmpfs "$root$1"
	cp -a "$1/." "$root$1" || :
}

mount --make-rprivate /
mount -t tmpfs tmpfs "$root"
cd "$root"
root=.
while [ "${1-}" = hide ]; do
	hide "$2"
	shift 2
done
for folder in /tmp /dev/shm; do
	mkdir -p "$root$folder"
	mount -t tmpfs tmpfs "$root$folder"
done
mkdir -p "$root/proc" "$root/before" "$root$here"
mount -t proc proc "$root/proc"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
for one in /usr /bin /sbin /lib /lib32 /lib64 /opt /sys /nix/store /gnu/store \
	/etc/ld.so.cache /etc/passwd /etc/group /etc/nsswitch.conf /etc/localtime /etc/alternatives \
	/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/dri /dev/kfd /dev/nvidia*; do
	show "$one"
done
while [ $# -gt 0 ]; do
	"$1" "$2"
	shift 2
done
pivot_root . before
umount -l /before
rmdir /before
